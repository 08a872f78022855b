import { beforeEach, describe, it } from "vitest";
import { SUMMARIZED_KINDS } from "../../retention/support.ts";
import { feed, restore } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { exported } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { mustRestore, NOW } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

/** Lines of records, and of summaries of each kind of event. */
function recordsAndSummaries() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const customer = seed.customer();
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const [store_id, customer_id, campaign_id] = [store.id, customer.id, campaign.id];
  const earning = { record: "token_earning", sealed: true, store_id, customer_id };
  // The summaries have the order of an export, and all fields of its lines.
  const campaignSummary = {
    record: "balance_entry",
    sealed: true,
    customer_id: null as string | null,
    store_id,
    amount: "15.00",
    campaign_id: campaign_id as string | null,
    description: "",
    created_at: "2026-02-01 00:00:00",
  };
  const customerSummary = {
    ...campaignSummary,
    customer_id,
    amount: "12.34",
    campaign_id: null,
    created_at: "2026-02-02 00:00:00",
  };
  const summaries = [
    campaignSummary,
    customerSummary,
    { ...earning, level_no: 2, tokens: "1.50", earned_at: "2026-02-03 00:00:00" },
    { ...earning, level_no: 5, tokens: "70000000000000.00", earned_at: "2026-02-04 00:00:00" },
    {
      record: "play",
      sealed: true,
      eip_campaign_id: contest.id,
      location_id: store_id,
      employee_id: employee.id,
      runs: "-1.50",
      hits: -3,
      doubles: 0,
      triples: 70_000_000_000_000,
      played_at: "2026-02-05 00:00:00",
    },
  ];
  const records = [account, store, campaign, customer, employee, contest, seed.membership(store_id, customer_id)];
  return { records, summaries, campaignSummary, customerSummary, account, customer_id, store_id };
}

const texts = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line));

describe("lines of summaries", () => {
  it("are restored and exported as they were, and count once if they come again", async ({ expect }) => {
    const { records, summaries, customer_id, store_id } = recordsAndSummaries();

    await mustRestore([...records, seed.entry(customer_id, store_id, "1.00"), ...summaries, ...summaries]);
    const again = await mustRestore(summaries);

    const lines = (await exported(...SUMMARIZED_KINDS)).filter((line) => !("id" in line));
    expect(texts(lines)).toEqual(texts(summaries));
    expect(again.body.items.ignored).toBe(summaries.length);
    expect(await differences()).toEqual([]);
  });

  it("are events: the id of a coupon may begin with `sealed:`", async ({ expect }) => {
    const account = seed.account();
    const [keptCoupon, deletedCoupon] = ["sealed:coupon", "sealed:gone"].map((id) => seed.coupon(account.id, { id }));
    await mustRestore([account, keptCoupon ?? "", deletedCoupon ?? ""]);
    await mustRestore([seed.deleted("coupon", { id: deletedCoupon?.id })]);

    const lines = await exported("coupon");

    expect(lines.map(({ id, deleted }) => [id, deleted])).toEqual([
      ["sealed:coupon", undefined],
      ["sealed:gone", undefined],
      ["sealed:gone", true],
    ]);
  });

  it("are exported in the order in which their customers were stored", async ({ expect }) => {
    const { records, campaignSummary, customerSummary } = recordsAndSummaries();
    const customers = Array.from({ length: 20 }, (_, index) => seed.customer({ id: `c${99 - index}` }));
    const lines = customers.map(({ id }) => ({ ...customerSummary, customer_id: id }));

    await mustRestore([...records, ...customers, ...lines.toReversed(), campaignSummary]);

    expect(await exported("balance_entry")).toEqual([campaignSummary, ...lines]);
  });

  it.for(["", "-"])("are refused if they add up to more than an integer holds: %s", async (sign, { expect }) => {
    const account = seed.account();
    const customer = seed.customer();
    const stores = Array.from({ length: 1_400 }, () => seed.store(account.id));
    const summaries = stores.map(({ id: store_id }) => ({
      record: "balance_entry",
      sealed: true,
      customer_id: customer.id,
      store_id,
      amount: `${sign}70000000000000.00`,
    }));
    await mustRestore([account, customer, ...stores]);

    const { body } = await restore(summaries);

    expect(body.messages).toEqual({ body: ["a total would be too large"] });
  });
});

describe("a line of a summary", () => {
  const { records, summaries, campaignSummary, customerSummary } = recordsAndSummaries();

  it.for<[line: object, messages: Record<string, string[]>]>([
    [{ ...customerSummary, id: "e1" }, { id: ["must be left out of a line that is sealed"] }],
    [{ ...customerSummary, sealed: undefined }, { id: ["is required, unless the line is sealed"] }],
    [{ ...customerSummary, sealed: undefined, id: "sealed:1" }, { id: ["must not begin with sealed:"] }],
    [{ ...customerSummary, customer_id: null }, { customer_id: ["is required"] }],
    [{ ...campaignSummary, sealed: undefined, id: "e1" }, { customer_id: ["is required"] }],
    [{ ...customerSummary, sealed: false }, { sealed: ["must be true"] }],
    [{ ...customerSummary, amount: "90071992547409.92" }, { amount: ["must be at most 90,071,992,547,409.91"] }],
  ])("is refused if it is wrong: %j", async ([line, messages], { expect }) => {
    const { body } = await restore([line as Record<string, unknown>]);

    const messagesOfLine = Object.entries(messages).map(([field, texts]) => [`line 1.${field}`, texts]);
    expect(body.messages).toEqual(Object.fromEntries(messagesOfLine));
  });

  it.for(SUMMARIZED_KINDS)("cannot be deleted, or fed without a restore token: %s", async (record, { expect }) => {
    const line = summaries.find((summary) => summary.record === record) ?? {};
    await mustRestore([...records, ...summaries]);

    const deleteAnswer = await restore([{ ...line, deleted: true }]);
    const feedAnswer = await feed([line]);

    expect(deleteAnswer.body.messages["line 1.deleted"]).toHaveLength(1);
    expect(Object.keys(feedAnswer.body.messages)[0]).toBe("line 1.id");
  });
});
