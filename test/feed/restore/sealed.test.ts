import { beforeEach, describe, it } from "vitest";
import { as, feed, restore } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { exported } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows, value } from "../../support/state.ts";
import { mustRestore, NOW } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

const SHA = "a".repeat(64);

/** A program without events, with a summary of each kind and the segments that they come from. */
function sealed() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const customer = seed.customer();
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const [store_id, customer_id, campaign_id] = [store.id, customer.id, campaign.id];
  const [entry, earning] = [
    { record: "balance_entry", sealed: true },
    { record: "token_earning", sealed: true, store_id, customer_id },
  ];
  const at = { eip_campaign_id: contest.id, location_id: store_id, employee_id: employee.id };
  // In the order and with the fields that an export gives them.
  const summaries = [
    {
      ...entry,
      customer_id: null,
      store_id,
      amount: "15.00",
      campaign_id,
      description: "",
      created_at: "2026-02-01 00:00:00",
    },
    {
      ...entry,
      customer_id,
      store_id,
      amount: "12.34",
      campaign_id: null,
      description: "",
      created_at: "2026-02-02 00:00:00",
    },
    { ...earning, level_no: 2, tokens: "1.50", earned_at: "2026-02-03 00:00:00" },
    { ...earning, level_no: 5, tokens: "70000000000000.00", earned_at: "2026-02-04 00:00:00" },
    {
      ...{ record: "play", sealed: true, ...at, runs: "-1.50", hits: -3, doubles: 0, triples: 70_000_000_000_000 },
      ...{ played_at: "2026-02-05 00:00:00" },
    },
    ...["balance_entry", "message", "play", "token_earning"].map((kind) => segment({ kind })),
  ];
  return {
    records: [account, store, campaign, customer, employee, contest, seed.membership(store_id, customer_id)],
    summaries,
    customer_id,
    store_id,
    campaign_id,
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

const EVENTS = ["balance_entry", "token_earning", "play", "history_segment"];

const totals = () =>
  rows(`
    SELECT customers.balance, store_balances.balance AS at_store, earned, tokens_2, tokens_5, runs, triples
    FROM customers, store_balances, campaign_stores, memberships, play_totals`);

describe("lines that stand for sealed events", () => {
  it("are restored and exported as they were, with the segments", async ({ expect }) => {
    const { records, summaries } = sealed();

    await mustRestore([...records, ...summaries]);

    const lines = await exported(...EVENTS);
    expect(lines.map((line) => JSON.stringify(line))).toEqual(summaries.map((line) => JSON.stringify(line)));
    expect(await value("SELECT sums FROM history_segments")).toBe('{"balance":-999999999999999999}');
    expect(await differences()).toEqual([]);
  });

  it("are events only: the id of a state may begin with `sealed:`", async ({ expect }) => {
    const account = seed.account();
    const coupon = seed.coupon(account.id, { id: "sealed:coupon" });
    const gone = seed.coupon(account.id, { id: "sealed:gone" });
    await mustRestore([account, coupon, gone]);
    await mustRestore([{ record: "coupon", id: gone.id, deleted: true }]);

    const lines = await exported("coupon");

    expect(lines.map(({ id, deleted }) => [id, deleted])).toEqual([
      ["sealed:coupon", undefined],
      ["sealed:gone", undefined],
      ["sealed:gone", true],
    ]);
  });

  it("come in the order of their customers, which a restore keeps, and not of these customers' ids", async ({
    expect,
  }) => {
    const { records, summaries } = sealed();
    const [balance] = summaries.filter((line) => "customer_id" in line && line.customer_id !== null);
    const customers = Array.from({ length: 20 }, (_, index) => seed.customer({ id: `c${99 - index}` }));
    const lines = customers.map(({ id }) => ({ ...balance, customer_id: id }));

    await mustRestore([...records, ...customers, ...lines.toReversed(), ...summaries.slice(0, 1)]);

    expect(await exported("balance_entry")).toEqual([summaries[0], ...lines]);
  });

  it("are part of their totals, to which later events add", async ({ expect }) => {
    const { records, summaries, customer_id, store_id } = sealed();
    await mustRestore([...records, ...summaries, seed.entry(customer_id, store_id, "1.00")]);

    const me = await as(customer_id).get("/api/v1/customer/me");

    expect(await totals()).toEqual([
      {
        ...{ balance: 1_334, at_store: 1_334, earned: 1_500, tokens_2: 150, tokens_5: 7_000_000_000_000_000 },
        ...{ runs: -150, triples: 70_000_000_000_000 },
      },
    ]);
    expect(JSON.stringify(me.body)).toContain("13.34");
  });

  it("count once, however often they are said, in one request or in several", async ({ expect }) => {
    const { records, summaries, customer_id, store_id } = sealed();
    await mustRestore([...records, seed.entry(customer_id, store_id, "1.00"), ...summaries, ...summaries]);
    const before = await totals();

    const { body } = await mustRestore(summaries);

    expect(await totals()).toEqual(before);
    expect(before).toMatchObject([{ balance: 1_334, earned: 1_500, tokens_2: 150, runs: -150 }]);
    expect(body.items.ignored).toBe(5);
  });

  it("of a customer at several stores add up", async ({ expect }) => {
    const { records, summaries } = sealed();
    const other = seed.store(records[0]?.id);
    const there = { ...summaries[1], store_id: other.id, amount: "0.66" };

    await mustRestore([...records, other, ...summaries, there]);

    expect(await rows("SELECT balance FROM customers")).toEqual([{ balance: 1_300 }]);
  });

  it("of nothing make a balance all the same: somebody had entries there", async ({ expect }) => {
    const { records, summaries } = sealed();
    const nothing = { ...summaries[1], amount: "0.00" };

    await mustRestore([...records, nothing]);

    expect(await exported("balance_entry")).toEqual([nothing]);
    expect(await rows("SELECT balance FROM store_balances")).toEqual([{ balance: 0 }]);
  });

  it.for(["", "-"])("are refused where they come to more than an integer holds: %s", async (sign, { expect }) => {
    const account = seed.account();
    const customer = seed.customer();
    const stores = Array.from({ length: 1_400 }, () => seed.store(account.id));
    const summaries = stores.map(({ id: store_id }) => ({
      ...{ record: "balance_entry", sealed: true, customer_id: customer.id, store_id },
      amount: `${sign}70000000000000.00`,
    }));
    await mustRestore([account, customer, ...stores]);

    const { status, body } = await restore(summaries);

    expect(status).toBe(422);
    expect(body.messages).toEqual({ body: ["a total would be too large"] });
  });

  it("are refused beyond the largest total", async ({ expect }) => {
    const { records, summaries, store_id } = sealed();
    const other = seed.store(records[0]?.id);
    const most = (at: unknown) => ({ ...summaries[1], store_id: at, amount: "90071992547409.91" });
    const wrong = { ...most(store_id), amount: "90071992547409.92" };

    const together = await restore([...records, other, most(store_id), most(other.id)]);
    const alone = await restore([wrong]);

    expect(together.body.messages).toEqual({ body: ["a total would be too large"] });
    expect(alone.body.messages).toEqual({ "line 1.amount": ["must be at most 90,071,992,547,409.91"] });
  });

  it.for([
    ["with an id", { id: "e1" }, { id: ["is required, unless the line is sealed"] }],
    ["that is not sealed", { sealed: undefined }, { id: ["is required, unless the line is sealed"] }],
    ["of nobody", { customer_id: null }, { customer_id: ["is required"] }],
    ["that is sealed otherwise", { sealed: false }, { sealed: ["must be true"] }],
  ] as const)(
    "have no id, and say of whom or of which campaign they are: not one %s",
    async ([, change, messages], { expect }) => {
      const { summaries } = sealed();

      const { body } = await restore([{ ...summaries[1], ...change }]);

      const ofLine = Object.entries(messages).map(([field, texts]) => [`line 1.${field}`, texts]);
      expect(body.messages).toEqual(Object.fromEntries(ofLine));
    },
  );

  it("lack their customer only where they are sealed", async ({ expect }) => {
    const { summaries } = sealed();

    const { body } = await restore([{ ...summaries[0], sealed: undefined, id: "e1" }]);

    expect(body.messages).toEqual({ "line 1.customer_id": ["is required"] });
  });

  it.for(EVENTS)("are no record of a feed, and cannot be deleted: %s", async (record, { expect }) => {
    const { records, summaries } = sealed();
    const line = summaries.find((one) => one.record === record) ?? {};
    await mustRestore([...records, ...summaries]);

    const deleted = await restore([{ ...line, deleted: true }]);
    const fed = await feed([line]);

    expect(deleted.body.messages["line 1.deleted"]).toHaveLength(1);
    expect(Object.keys(fed.body.messages)[0]).toBe(record === "history_segment" ? "line 1.record" : "line 1.id");
  });

  it.for(["balance_entry", "token_earning", "play", "message"])(
    "have ids that no line may say: %s",
    async (record, { expect }) => {
      const text = { "line 1.id": ["must not begin with sealed:"] };

      const answers = [await feed([{ record, id: "sealed:1" }]), await restore([{ record, id: "sealed:1" }])];

      for (const { body } of answers) expect(body.messages).toMatchObject(text);
    },
  );

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
