import { beforeEach, describe, it } from "vitest";
import { as, feed, restore } from "../../support/api.ts";
import { exported } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows, value } from "../../support/state.ts";
import { mustRestore, NOW } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

const SHA = "a".repeat(64);

/** A program without events, with an opening of each kind and the segments that they come from. */
function sealed() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const customer = seed.customer();
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const [store_id, customer_id] = [store.id, customer.id];
  const at = { eip_campaign_id: contest.id, location_id: store_id, employee_id: employee.id };
  const openings = [
    { record: "balance_opening", customer_id, store_id, amount: "12.34" },
    { record: "earned_opening", store_id, campaign_id: campaign.id, earned: "15.00" },
    {
      ...{ record: "token_opening", store_id, customer_id, tokens_1: "0.00", tokens_2: "1.50", tokens_3: "-0.25" },
      ...{ tokens_4: "0.00", tokens_5: "70000000000000.00" },
    },
    { record: "play_opening", ...at, runs: "-1.50", hits: -3, doubles: 0, triples: 70_000_000_000_000 },
    ...["balance_entry", "message", "play", "token_earning"].map((kind) => segment({ kind })),
  ];
  return {
    records: [account, store, campaign, customer, employee, contest, seed.membership(store_id, customer_id)],
    openings,
    customer_id,
    store_id,
  };
}

function segment({ kind = "play", ...fields }: { kind?: string; [field: string]: unknown } = {}) {
  return {
    ...{ record: "history_segment", kind, month: "2026-03", segment_no: 2 },
    ...{ name: `${kind}/2026-03/2.ndjson.gz`, lines: 5_000, bytes: 123_456, sha256: SHA },
    ...{ oldest: "2024-02-29 12:34:56", newest: "2026-02-28 23:59:59", sums: { balance: "-999999999999999999" } },
    ...fields,
  };
}

const OPENINGS = ["balance_opening", "earned_opening", "token_opening", "play_opening", "history_segment"];

const totals = () =>
  rows(`
    SELECT customers.balance, store_balances.balance AS at_store, earned, tokens_2, tokens_5, runs, triples
    FROM customers, store_balances, campaign_stores, memberships, play_totals`);

describe("openings", () => {
  it("are restored and exported as they were, with the segments", async ({ expect }) => {
    const { records, openings, customer_id } = sealed();
    const [contest, employee] = ["eip_campaign", "employee"].map((kind) => records.find((one) => one.record === kind));
    const other = seed.store(records[0]?.id);
    const campaign_id = records.find(({ record }) => record === "campaign")?.id;
    // Totals of which nothing has left.
    const live = [
      other,
      seed.membership(other.id, customer_id),
      seed.entry(customer_id, other.id, "1.00", { campaign_id }),
      seed.play(contest?.id, other.id, employee?.id),
    ];

    await mustRestore([...records, ...openings, ...live]);

    const lines = await exported(...OPENINGS);
    expect(lines.map((line) => JSON.stringify(line))).toEqual(openings.map((line) => JSON.stringify(line)));
    expect(await value("SELECT sums FROM history_segments")).toBe('{"balance":-999999999999999999}');
  });

  it("are part of their totals, to which later events add", async ({ expect }) => {
    const { records, openings, customer_id, store_id } = sealed();
    await mustRestore([...records, ...openings, seed.entry(customer_id, store_id, "1.00")]);

    const me = await as(customer_id).get("/api/v1/customer/me");

    expect(await totals()).toEqual([
      {
        ...{ balance: 1_334, at_store: 1_334, earned: 1_500, tokens_2: 150, tokens_5: 7_000_000_000_000_000 },
        ...{ runs: -150, triples: 70_000_000_000_000 },
      },
    ]);
    expect(JSON.stringify(me.body)).toContain("13.34");
  });

  it("count once, however often they are said, and the last time", async ({ expect }) => {
    const { records, openings, customer_id, store_id } = sealed();
    await mustRestore([...records, seed.entry(customer_id, store_id, "1.00"), ...openings]);
    const before = await totals();

    await mustRestore(openings);
    const again = await totals();
    await mustRestore(openings.map((line) => ({ ...line, ...("amount" in line && { amount: "-2.34" }) })));

    expect(again).toEqual(before);
    expect(await totals()).toMatchObject([{ balance: -134, at_store: -134, earned: 1_500, tokens_2: 150 }]);
  });

  it("of a customer at several stores add up", async ({ expect }) => {
    const { records, openings, customer_id } = sealed();
    const other = seed.store(records[0]?.id);
    const there = { record: "balance_opening", customer_id, store_id: other.id, amount: "0.66" };

    await mustRestore([...records, other, ...openings, there]);

    expect(await rows("SELECT balance FROM customers")).toEqual([{ balance: 1_300 }]);
  });

  it("of nothing are openings all the same: somebody had entries there", async ({ expect }) => {
    const { records, customer_id, store_id } = sealed();
    const nothing = { record: "balance_opening", customer_id, store_id, amount: "0.00" };

    await mustRestore([...records, nothing, segment({ kind: "balance_entry" })]);

    expect(await exported("balance_opening")).toEqual([nothing]);
  });

  it("are not looked for where nothing has left", async ({ expect }) => {
    const { records, openings } = sealed();

    await mustRestore([...records, ...openings.filter(({ record }) => record !== "history_segment")]);

    expect(await exported(...OPENINGS)).toEqual([]);
  });

  it.for(["", "-"])("are refused where they come to more than an integer holds: %s", async (sign, { expect }) => {
    const account = seed.account();
    const customer = seed.customer();
    const stores = Array.from({ length: 1_400 }, () => seed.store(account.id));
    const openings = stores.map(({ id: store_id }) => ({
      ...{ record: "balance_opening", customer_id: customer.id, store_id, amount: `${sign}70000000000000.00` },
    }));
    await mustRestore([account, customer, ...stores]);

    const { status, body } = await restore(openings);

    expect(status).toBe(422);
    expect(body.messages).toEqual({ body: ["a total would be too large"] });
  });

  it("are refused beyond the largest total", async ({ expect }) => {
    const { records, customer_id, store_id } = sealed();
    const other = seed.store(records[0]?.id);
    const most = (at: unknown) => ({
      ...{ record: "balance_opening", customer_id, store_id: at, amount: "90071992547409.91" },
    });
    const wrong = { ...most(store_id), amount: "90071992547409.92" };

    const together = await restore([...records, other, most(store_id), most(other.id)]);
    const alone = await restore([wrong]);

    expect(together.body.messages).toEqual({ body: ["a total would be too large"] });
    expect(alone.body.messages).toEqual({ "line 1.amount": ["must be at most 90,071,992,547,409.91"] });
  });

  it("of what a campaign has earned are not negative: nothing takes from it", async ({ expect }) => {
    const { records, openings } = sealed();
    const wrong = openings.map((line) => ("earned" in line ? { ...line, earned: "-0.01" } : line));

    const { body } = await restore([...records, ...wrong]);

    expect(body.messages).toEqual({ [`line ${records.length + 2}.earned`]: ["must be at least 0"] });
    expect((await restore([...records, ...openings])).status).toBe(200);
  });

  it.for(OPENINGS)("are no record of a feed, and cannot be deleted: %s", async (record, { expect }) => {
    const { records, openings } = sealed();
    const line = openings.find((one) => one.record === record);
    await mustRestore([...records, ...openings]);

    const deleted = await restore([{ ...line, deleted: true }]);
    const fed = await feed([line ?? {}]);

    expect(deleted.body.messages).toEqual({ "line 1.deleted": ["it cannot be deleted"] });
    expect(Object.keys(fed.body.messages)).toEqual(["line 1.record"]);
  });

  it("come from segments of the past: with one of a later month every event would be too old", async ({ expect }) => {
    const late = segment({ month: "2026-07", name: "play/2026-07/2.ndjson.gz", newest: "2026-06-01 10:01:01" });

    const { body } = await restore([late]);

    const text = ["must not be more than a minute in the future"];
    expect(body.messages).toEqual({ "line 1.month": text, "line 1.newest": text });
    await mustRestore([segment({ month: "2026-06", name: "play/2026-06/2.ndjson.gz" })]);
  });

  it.for([
    [{ name: "../play/2026-03/2.ndjson.gz" }, { name: ["must be the name of a segment's object"] }],
    [{ name: "play/2026-03/3.ndjson.gz" }, { name: ["must be made of its kind, month and number"] }],
    [{ sums: { runs: 1 } }, { sums: ["runs: must be a whole number as a string"] }],
    [{ sha256: "A".repeat(64) }, { sha256: ["must be a SHA-256 in hexadecimal"] }],
  ])("come from segments that say where they are: not %j", async ([fields, messages], { expect }) => {
    const answer = await restore([segment(fields)]);

    const ofLine = Object.entries(messages ?? {}).map(([field, texts]) => [`line 1.${field}`, texts]);
    expect(answer.body.messages).toEqual(Object.fromEntries(ofLine));
  });
});
