import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import { createPublicViews } from "../support/public-views.ts";
import * as seed from "../support/seed.ts";
import { snapshot, value } from "../support/state.ts";

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
});

describe("POST /feed: state and events", () => {
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
});

// Every way in which a line can touch a foreign account is tried in test/isolation.
