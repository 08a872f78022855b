import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed, trips } from "../support/api.ts";
import { createPublicViews } from "../support/public-views.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot, value } from "../support/state.ts";

beforeAll(createPublicViews);

/** An account with a store, a campaign and a customer, all stored. */
async function program() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const customer = seed.customer();
  await mustFeed([account, store, campaign, customer]);
  return { account, store, campaign, customer };
}

const balanceOf = (customerId: string) => value("SELECT balance FROM customers WHERE id = ?", customerId);

describe("POST /feed: a request is all or nothing", () => {
  it("counts the lines that it took, in one round trip", async ({ expect }) => {
    const account = seed.account();

    const answer = await feed([account, seed.store(account.id), seed.customer()]);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: true, items: { accepted: 3, ignored: 0 } });
    expect(trips(answer)).toBe(1);
  });

  it("takes a request without a line", async ({ expect }) => {
    expect((await feed("")).body).toEqual({ status: true, items: { accepted: 0, ignored: 0 } });
    expect((await feed("\n \r\n\n")).body).toEqual({ status: true, items: { accepted: 0, ignored: 0 } });
  });

  it.for([
    ["a line that is no JSON", "{"],
    ["a bad field", { record: "store", id: "s" }],
    ["a missing reference", { record: "store", id: "s", account_id: "1", name: "x", latitude: 0, longitude: 0 }],
  ] as const)("leaves no trace of the good lines beside %s", async ([, bad], { expect }) => {
    const { account, store, campaign, customer } = await program();
    const before = await snapshot();

    const answer = await feed([
      { ...account, company: "Renamed" },
      { ...store, latitude: 1 },
      seed.campaign(account.id, { store_ids: [store.id] }),
      seed.deleted("customer", { id: customer.id }),
      seed.entry(customer.id, store.id, "5.00", { campaign_id: campaign.id }),
      bad,
    ]);

    expect(answer.status).toBe(422);
    expect(await snapshot()).toBe(before);
  });

  it("answers 413 beyond 2,000 lines or 2 MiB, before it looks at them, and says by how much", async ({ expect }) => {
    const tooMany = await feed(Array.from({ length: 2_345 }, () => "x"));
    const tooLarge = await feed("x".repeat(2 * 1024 * 1024 + 1));
    const unknownLength = await feed(
      new Blob(["x".repeat(2 * 1024 * 1024 + 1)]).stream().pipeThrough(new IdentityTransformStream()),
    );

    for (const answer of [tooMany, tooLarge, unknownLength]) {
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({ status: false, errorCode: "PAYLOAD_TOO_LARGE" });
    }
    expect(tooMany.body.message).toBe("This request holds 2,345 lines: at most 2,000 are taken.");
    expect(tooLarge.body.message).toBe("A body of at most 2 MiB is taken here: this one has 2,097,153 bytes.");
    expect(unknownLength.body.message).toBe("A body of at most 2 MiB is taken here: this one has more.");
    expect((await feed([...Array.from({ length: 2_000 }, () => "\n"), "x"])).status).toBe(422);
  });
});

describe("POST /feed: bad lines", () => {
  it("names every bad field of every bad line at once", async ({ expect }) => {
    const answer = await feed([
      seed.customer(),
      { record: "store", id: "", latitude: 99, longitude: "8", account_id: "007", name: "x".repeat(201) },
      "",
      "{oops",
      "[]",
      { record: "nothing" },
      { id: "1" },
      { record: "balance_entry", id: "b", customer_id: 1, amount: 5, deleted: true },
      seed.customer({ deleted: "yes" }),
    ]);

    expect(answer.status).toBe(422);
    expect(answer.body.errorCode).toBe("VALIDATION_EXCEPTION");
    expect(Object.keys(answer.body.messages)).toEqual([
      "line 2.id",
      "line 2.account_id",
      "line 2.name",
      "line 2.latitude",
      "line 2.longitude",
      "line 4",
      "line 5",
      "line 6.record",
      "line 7.record",
      "line 8.customer_id",
      "line 8.store_id",
      "line 8.amount",
      "line 8.deleted",
      "line 9.deleted",
    ]);
  });

  it("names a hundred bad lines and no more", async ({ expect }) => {
    const broken = await feed(Array.from({ length: 150 }, () => "{"));
    const missing = await feed(Array.from({ length: 150 }, () => seed.store("999999")));

    for (const { body } of [broken, missing]) expect(Object.keys(body.messages)).toHaveLength(100);
    expect(Object.keys(missing.body.messages).at(-1)).toBe("line 100.account_id");
  });

  it("names missing references by their field, of all kinds at once", async ({ expect }) => {
    const { account, store, customer } = await program();

    const answer = await feed([
      seed.store("999999"),
      seed.campaign("999999"),
      seed.campaign(account.id, { store_ids: [store.id, "nowhere"] }),
      seed.entry("nobody", "nowhere", "1", { campaign_id: "nothing" }),
      seed.entry(customer.id, store.id, "1"),
    ]);

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages)).toEqual([
      "line 1.account_id",
      "line 2.account_id",
      "line 3.store_ids",
      "line 4.customer_id",
      "line 4.store_id",
      "line 4.campaign_id",
    ]);
  });

  it("names references out of the account on the reference other than the store", async ({ expect }) => {
    const [one, other] = [await program(), await program()];

    const answer = await feed([
      seed.campaign(one.account.id, { store_ids: [other.store.id] }),
      seed.entry(one.customer.id, one.store.id, "1", { campaign_id: other.campaign.id }),
    ]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.store_ids", "line 2.campaign_id"]);
  });

  it("names a fixed field that changes", async ({ expect }) => {
    const [one, other] = [await program(), await program()];

    const answer = await feed([
      { ...one.store, account_id: other.account.id },
      { ...one.campaign, account_id: other.account.id },
    ]);

    expect(answer.status).toBe(422);
    expect(answer.body.messages).toEqual({
      "line 1.account_id": ["is fixed once written"],
      "line 2.account_id": ["is fixed once written"],
    });
  });

  it("says nothing of a campaign's former stores where its account is not stored", async ({ expect }) => {
    const account = seed.account();
    const [listed, other] = [seed.store(account.id), seed.store(account.id)];
    const campaign = seed.campaign(account.id, { store_ids: [listed.id] });
    await mustFeed([account, listed, other, campaign]);

    const { body } = await feed([{ ...campaign, account_id: "999999", store_ids: [listed.id, other.id] }]);

    expect(body.messages).toEqual({
      "line 1.account_id": ["names a record that is not stored", "is fixed once written"],
      "line 1.store_ids": ["names stores of an account that is not stored"],
    });
  });

  it("takes references to records that stand on later lines", async ({ expect }) => {
    const [account, customer] = [seed.account(), seed.customer()];
    const store = seed.store(account.id);

    const answer = await feed([seed.entry(customer.id, store.id, "1"), store, customer, account]);

    expect(answer.body.items).toEqual({ accepted: 4, ignored: 0 });
  });
});

describe("POST /feed: state and events", () => {
  it("upserts state: a field left out takes its default again", async ({ expect }) => {
    const { store } = await program();
    await mustFeed([{ ...store, city: "Norman" }]);

    await mustFeed([store]);

    expect(await value("SELECT city FROM stores WHERE id = ?", store.id)).toBe("");
  });

  it("lets the last of several lines with one key count, and accepts them all", async ({ expect }) => {
    const { store, account } = await program();
    const foreign = seed.account();

    const answer = await feed([
      foreign,
      { ...store, account_id: foreign.id, name: "First" },
      { ...store, account_id: "999999", name: "Second" },
      { ...store, account_id: account.id, name: "Third" },
    ]);

    expect(answer.body.items).toEqual({ accepted: 4, ignored: 0 });
    expect(await value("SELECT name FROM stores WHERE id = ?", store.id)).toBe("Third");
  });

  it("checks the own fields of a line that does not count", async ({ expect }) => {
    const { store } = await program();

    const answer = await feed([{ ...store, latitude: 91 }, store]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.latitude"]);
  });

  it("writes an event once: the same id again is ignored, stored or on an earlier line", async ({ expect }) => {
    const { store, customer } = await program();
    const entry = seed.entry(customer.id, store.id, "2.00");

    expect((await feed([entry, { ...entry, amount: "9.00" }])).body.items).toEqual({ accepted: 1, ignored: 1 });
    expect((await feed([{ ...entry, amount: "7.00" }])).body.items).toEqual({ accepted: 0, ignored: 1 });
    expect(await balanceOf(customer.id)).toBe(200);
  });

  it("checks the fields of an ignored event, and its references no longer", async ({ expect }) => {
    const { store, customer } = await program();
    const entry = seed.entry(customer.id, store.id, "2.00");
    await mustFeed([entry]);

    expect((await feed([{ ...entry, customer_id: "nobody" }])).status).toBe(200);
    expect((await feed([entry, { ...entry, store_id: "nowhere" }])).status).toBe(200);
    expect(Object.keys((await feed([{ ...entry, amount: "x" }])).body.messages)).toEqual(["line 1.amount"]);
  });

  it("stores a time that is left out as now, and keeps it afterwards", async ({ expect }) => {
    const { store, customer } = await program();
    const joined = { record: "membership", store_id: store.id, customer_id: customer.id };
    const joinedAt = () => value("SELECT joined_at FROM public_memberships WHERE customer_id = ?", customer.id);

    await mustFeed([{ ...joined, joined_at: "2020-02-29 12:00:00" }]);
    await mustFeed([joined]);
    expect(await joinedAt()).toBe("2020-02-29 12:00:00");

    const entry = seed.entry(customer.id, store.id, "1");
    await mustFeed([entry]);
    expect(await value("SELECT created_at FROM balance_entries WHERE id = ?", entry.id)).toMatch(/^20\d\d-.. ?/);
  });

  it("keeps every total as a recount of the entries, exact to the hundredth", async ({ expect }) => {
    const { store, campaign, customer } = await program();
    const amounts = ["0.10", "0.20", "-0.05", "999999999999.99", "-1", "3.3"];

    await mustFeed(amounts.map((amount) => seed.entry(customer.id, store.id, amount, { campaign_id: campaign.id })));
    await mustFeed([seed.entry(customer.id, store.id, "4.00")]);

    expect(await balanceOf(customer.id)).toBe(99_999_999_999_999 + 10 + 20 - 5 - 100 + 330 + 400);
    expect(await value("SELECT balance FROM public_store_balances WHERE customer_id = ?", customer.id)).toBe(
      await balanceOf(customer.id),
    );
    expect(await value("SELECT earned FROM public_campaign_stores WHERE campaign_id = ?", campaign.id)).toBe(
      99_999_999_999_999 + 10 + 20 + 330,
    );
  });

  it("ranks a record by the first of its lines", async ({ expect }) => {
    const account = seed.account();
    const [one, two, three] = [seed.store(account.id), seed.store(account.id), seed.store(account.id)];

    await mustFeed([account, one, two, { ...one, name: "Again" }, three]);
    await mustFeed([seed.deleted("store", { id: one.id }), three, two]);
    await mustFeed([one]);

    const order = await rows("SELECT id FROM public_stores WHERE account_id = ? ORDER BY key", account.id);
    expect(order.map(({ id }) => id)).toEqual([one.id, two.id, three.id]);
  });
});

// Every way in which a line can touch a foreign account is tried in test/isolation.
describe("POST /feed: accounts", () => {
  it("looks at the accounts of lines that do not count, too", async ({ expect }) => {
    const [own, foreign] = [await program(), await program()];
    const entry = seed.entry(own.customer.id, own.store.id, "1");
    const accounts = [own.account.id];

    expect((await feed([{ ...own.store, account_id: foreign.account.id }, own.store], accounts)).status).toBe(403);
    expect((await feed([entry, { ...entry, store_id: foreign.store.id }], accounts)).status).toBe(403);
  });

  it("takes lines of each account that the token covers", async ({ expect }) => {
    const [one, other] = [await program(), await program()];
    const lines = [one, other].flatMap(({ store, campaign, customer }) => [
      { ...store, name: "Renamed" },
      { ...campaign, name: "Renamed" },
      seed.entry(customer.id, store.id, "1.00", { campaign_id: campaign.id }),
    ]);

    expect((await feed(lines, [one.account.id, other.account.id])).status).toBe(200);
  });

  it("answers bad fields before foreign accounts, and foreign accounts before missing references", async ({
    expect,
  }) => {
    const { account, store } = await program();

    expect((await feed([{ ...store, latitude: 100 }], ["1"])).status).toBe(422);
    expect(
      (await feed([store, seed.store("1", { id: "lost" }), seed.campaign("1", { store_ids: ["gone"] })], ["1"])).status,
    ).toBe(403);
    expect((await feed([seed.campaign(account.id, { store_ids: ["gone"] })], [account.id as string])).status).toBe(422);
  });
});
