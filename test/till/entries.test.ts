import { beforeEach, describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { exported } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { TILL, till } from "../support/till.ts";
import { tillToken } from "../support/tokens.ts";

const [account, foreign] = [seed.account(), seed.account()];
const [store, foreignStore] = [seed.store(account.id), seed.store(foreign.id)];
const campaign = seed.campaign(account.id);
const customer = seed.customer();
const everything = [account, foreign, store, foreignStore, campaign, customer];

const version = () => value("SELECT version FROM program_state");
const booking = (fields: object = {}) => ({
  id: "till-3-1",
  customer_id: customer.id,
  store_id: store.id,
  amount: "5.00",
  ...fields,
});
const book = (fields: object = {}, claims: Record<string, unknown> = {}) =>
  till(claims).post("/entries", booking(fields));
const failure = ({ status, body }: Awaited<ReturnType<typeof book>>) => [
  status,
  body.errorCode,
  body.messages ?? body.message,
];

beforeEach(async () => {
  await freshDatabase("2026-11-28 09:00:00");
  await mustFeed(everything);
});

describe("an entry of a till", () => {
  it("is stored, counts in the balance at the account, and is in the journal as an export gives it", async ({
    expect,
  }) => {
    const before = Number(await version());
    const { status, body } = await book({ campaign_id: campaign.id, description: "Coffee" }, { sub: "till-3" });

    const entry = {
      ...booking({ campaign_id: campaign.id, description: "Coffee" }),
      created_at: "2026-11-28 09:00:00",
    };
    expect([status, body.items]).toEqual([200, { entry, balance: 5, repeated: false }]);
    expect(await exported("balance_entry")).toEqual([{ record: "balance_entry", ...entry }]);
    const [row] = await rows("SELECT version, at, source, subject, lines, line FROM requests WHERE source = 'till'");
    expect({ ...row, line: JSON.parse(String(row?.line)) }).toEqual({
      version: before + 1,
      at: "2026-11-28 09:00:00",
      source: "till",
      subject: "till-3",
      lines: 1,
      line: { record: "balance_entry", ...entry },
    });
    expect(await value("SELECT request FROM balance_entries")).toBe(before + 1);
    expect(await rows("SELECT balance FROM customers UNION ALL SELECT earned FROM campaign_earnings")).toEqual([
      { balance: 500 },
      { balance: 500 },
    ]);
  });

  it("is answered again with the balance of now, and changes nothing, even as the next transaction", async ({
    expect,
  }) => {
    const first = await book();
    const before = await version();

    const again = await book({ description: "other text", created_at: "2026-11-28 08:00:00" });

    expect(first.body.items).toMatchObject({ balance: 5, repeated: false });
    expect(again.body.items).toEqual({ ...first.body.items, repeated: true });
    expect(await version()).toBe(before);
    expect(await rows("SELECT balance FROM store_balances")).toEqual([{ balance: 500 }]);
    await book({ id: "till-3-2", amount: "-1.50" });
    expect((await book()).body.items).toMatchObject({ balance: 3.5, repeated: true });
  });

  it("is a repetition where it was fed, and the other way round", async ({ expect }) => {
    await mustFeed([seed.entry({ id: customer.id }, { id: store.id }, "5.00", { id: "fed" })]);
    await book();

    expect((await book({ id: "fed" })).body.items).toMatchObject({ balance: 10, repeated: true });
    expect((await feed([{ record: "balance_entry", ...booking() }])).body.items).toEqual({ accepted: 0, ignored: 1 });
  });

  it("is 409 if its id was used with another content, and names the fields", async ({ expect }) => {
    const other = seed.customer();
    await mustFeed([other]);
    await book();

    const text = "This id was used before with another content: customer_id and amount differ.";
    expect(failure(await book({ customer_id: other.id, amount: "6" }))).toEqual([409, "CONFLICT", text]);
    const taken = "This id is taken. Begin your ids with something of your own.";
    const fromForeign = book({ store_id: foreignStore.id }, { accounts: [foreign.id] });
    expect(failure(await fromForeign)).toEqual([409, "CONFLICT", taken]);
  });

  it("is answered by its id although its customer was erased and its store has left", async ({ expect }) => {
    const first = await book();
    await mustFeed([seed.deleted("customer", { id: customer.id }), seed.deleted("store", { id: store.id })]);

    const again = await book();
    expect(again.body.items).toEqual({ ...first.body.items, repeated: true });
    expect((await book({ id: "new" })).status).toBe(404);
  });

  it.for<[what: string, fields: object, claims: object, status: number]>([
    ["a store that the token does not name", {}, { stores: ["s0"] }, 403],
    ["a store of another account", {}, { accounts: [foreign.id] }, 403],
    ["a campaign of another account", { campaign_id: "theirs" }, { accounts: [account.id] }, 403],
    ["an unknown store", { store_id: "nowhere" }, { accounts: [account.id] }, 404],
    ["an unknown customer", { customer_id: "nobody" }, {}, 404],
    ["an unknown campaign", { campaign_id: "none" }, {}, 422],
    ["a campaign of another account than the store's", { campaign_id: "theirs" }, {}, 422],
    ["a time more than a day ahead", { created_at: "2026-11-29 09:00:01" }, {}, 422],
  ])("is refused for %s, and stores nothing", async ([, fields, claims, status], { expect }) => {
    await mustFeed([seed.campaign(foreign.id, { id: "theirs" })]);
    const before = await version();

    expect((await book(fields, claims as Record<string, unknown>)).status).toBe(status);

    expect(await version()).toBe(before);
    expect(await rows("SELECT id FROM balance_entries")).toEqual([]);
  });

  it("spends only what is there, with minimum_balance", async ({ expect }) => {
    await book();
    const spend = (id: string, amount: string) => book({ id, amount, minimum_balance: "0.00" });

    const refused = await spend("a", "-5.01");
    expect(failure(refused)).toEqual([
      422,
      "NOT_POSSIBLE",
      "The booking is not possible: balance_suffices does not hold.",
    ]);
    expect(refused.body.checks).toEqual([
      { check: "balance_suffices", holds: false, detail: "the balance is 5.00, and at least 0.00 must be left" },
    ]);
    expect((await spend("a", "-5.00")).body.items).toMatchObject({ balance: 0, repeated: false });
    expect((await spend("a", "-5.00")).body.items).toMatchObject({ balance: 0, repeated: true });
    expect((await spend("b", "-0.01")).status).toBe(422);
  });

  it("names all bad fields at once", async ({ expect }) => {
    const answer = await book({ id: "", amount: "1.00", store_id: null, minimum_balance: "0.00", created_at: "soon" });

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.messages).sort()).toEqual(["created_at", "id", "minimum_balance", "store_id"]);
  });

  it("is refused from before the horizon, unless it is stored", async ({ expect }) => {
    const old = { created_at: "2026-01-01 00:00:00" };
    await book(old);
    await rows("UPDATE program_state SET horizon = '2026-06-01 00:00:00'");

    expect((await book(old)).body.items.repeated).toBe(true);
    expect(failure(await book({ id: "new", ...old }))).toEqual([
      422,
      "VALIDATION_EXCEPTION",
      { created_at: ["is older than the events that are kept"] },
    ]);
  });

  it("that makes a total too large is a bad amount", async ({ expect }) => {
    await book();
    await rows("UPDATE store_balances SET balance = 9007199254740991");

    expect(failure(await book({ id: "more" }))).toEqual([
      422,
      "VALIDATION_EXCEPTION",
      { amount: ["would make a total too large"] },
    ]);
  });

  it("is one round trip, and writes eight rows", async ({ expect }) => {
    await book({ id: "first" });
    const init = {
      method: "POST",
      headers: { Authorization: `Bearer ${await tillToken()}` },
      body: JSON.stringify(booking({ campaign_id: campaign.id })),
    };

    expect(await costOf(`${TILL}/entries`, init)).toEqual({ roundTrips: 1, rowsRead: 51, rowsWritten: 8 });
  });
});
