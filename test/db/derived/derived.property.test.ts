import fc from "fast-check";
import { describe, it } from "vitest";
import { type FeedLine, feed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { differences } from "../../support/differences.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

// A world so small that ids repeat, within a request and between two. Each run has a world of its own.
function world(run: number) {
  const ids = (letter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${run}-${letter}${index}`);
  return {
    account: `${run}1`,
    stores: ids("s", 3),
    campaigns: ids("k", 3),
    // Each is referred by the one before: a team of six levels.
    customers: ids("c", 7),
    groups: ids("g", 2),
    coupons: ids("q", 2),
    employees: ids("e", 2),
    contests: ids("p", 2),
    events: ids("x", 40),
  };
}
type World = ReturnType<typeof world>;

const any = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const name = any(["Ada", "Zoë", "Bo Li"]);
const amount = any(["0", "1.00", "-0.50", "2.25", "999999999999.99", "-999999999999.99"]);

/** The lines that all others refer to. */
function beginning({ account, stores, campaigns, customers, groups, coupons, employees, contests }: World): FeedLine[] {
  return [
    seed.account({ id: account }),
    ...stores.map((id) => seed.store(account, { id })),
    ...campaigns.map((id, index) => seed.campaign(account, { id, store_ids: index === 0 ? "all" : [stores[index]] })),
    ...customers.map((id) => seed.customer({ id })),
    ...customers.map((id, index) => seed.membership(stores[0], id, { referrer_id: customers[index - 1] ?? null })),
    ...groups.map((id) => seed.group(customers.slice(0, 3), { id })),
    ...coupons.map((id) => seed.coupon(account, { id })),
    ...employees.map((id) => seed.employee(account, { id })),
    ...contests.map((id) => seed.eipCampaign(account, { id })),
  ];
}

/** Lines that change what something is derived from, mostly such that are taken. */
function lines(ids: World): fc.Arbitrary<FeedLine> {
  const { account, stores, campaigns, customers, groups, coupons, employees, contests, events } = ids;
  const [store, campaign, customer, group, id] = [stores, campaigns, customers, groups, events].map((all) =>
    any(all),
  ) as [fc.Arbitrary<string>, fc.Arbitrary<string>, fc.Arbitrary<string>, fc.Arbitrary<string>, fc.Arbitrary<string>];
  const line = (record: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ record: fc.constant(record), ...fields });
  const count = fc.nat(3);
  const state = fc.oneof(
    line("account", {
      id: fc.constant(account),
      company: name,
      loyalty_options: fc.option(fc.record({ chain_display_name: name })),
    }),
    line("store", {
      id: store,
      account_id: fc.constant(account),
      name,
      latitude: fc.constant(1),
      longitude: fc.constant(2),
    }),
    line("campaign", {
      id: campaign,
      account_id: fc.constant(account),
      name,
      campaign_start_date: fc.constant("2026-01-01"),
      store_ids: fc.oneof(fc.constant("all"), fc.subarray(stores)),
    }),
    line("customer", { id: customer, first_name: name, last_name: name }),
    line("membership", { store_id: store, customer_id: customer }),
    line("message_group", {
      id: group,
      initial_customer_id: fc.constant(customers[0]),
      member_ids: fc.subarray(customers.slice(1, 4), { minLength: 1 }).map((others) => [customers[0], ...others]),
    }),
    line("coupon", {
      id: any(coupons),
      account_id: fc.constant(account),
      kind: fc.constant("store"),
      name,
      type: fc.constant("Free_Item"),
      value: fc.constant("1.00"),
      campaign_id: fc.option(campaign),
    }),
  );
  const deleted = fc
    .oneof(
      line("store", { id: store }),
      line("campaign", { id: campaign }),
      line("membership", { store_id: store, customer_id: customer }),
      line("message_group", { id: group }),
      line("account", { id: fc.constant(account) }),
      // The first is in each group, and the team begins there.
      line("customer", { id: any(customers.slice(1)) }),
    )
    .map((one) => ({ ...one, deleted: true }));
  const event = fc.oneof(
    line("balance_entry", { id, customer_id: customer, store_id: store, campaign_id: fc.option(campaign), amount }),
    line("token_earning", {
      id,
      store_id: fc.constant(stores[0]),
      customer_id: customer,
      level_no: fc.integer({ min: 1, max: 5 }),
      tokens: amount,
    }),
    line("play", {
      id,
      eip_campaign_id: any(contests),
      location_id: store,
      employee_id: any(employees),
      runs: any(["0", "0.5", "2"]),
      hits: count,
      doubles: count,
      triples: count,
    }),
    line("message", {
      id,
      group_id: group,
      customer_id: fc.constant(customers[0]),
      body: name,
      // History, in its place; what is left out is stamped.
      sent_at: fc.option(any(["1", "2", "3", "4"].map((second) => `2026-01-01 00:00:0${second}`))),
    }),
  );
  return fc.oneof({ weight: 6, arbitrary: event }, { weight: 3, arbitrary: state }, { weight: 1, arbitrary: deleted });
}

const runs = propertyRuns(5);

describe("random sequences of feeds", () => {
  it("leave all derived data as its definitions have it, after each request", async ({ expect }) => {
    let run = 10;
    let second = 0;
    const seen: Record<number, number> = { 200: 0, 422: 0 };
    const requests = fc.array(fc.record({ size: fc.integer({ min: 1, max: 12 }), seconds: fc.nat(1) }), {
      minLength: 8,
      maxLength: 14,
    });
    await fc.assert(
      fc.asyncProperty(requests, fc.nat(), async (plan, seedOfLines) => {
        run += 1;
        const ids = world(run);
        const pool = fc.sample(lines(ids), { numRuns: 150, seed: seedOfLines });
        expect((await feed(beginning(ids))).status).toBe(200);

        for (const { size, seconds } of plan) {
          second += seconds;
          await setClock(new Date(Date.UTC(2026, 5, 1, 0, 0, second)).toISOString().slice(0, 19).replace("T", " "));

          const { status } = await feed(pool.splice(0, size));

          seen[status] = (seen[status] ?? 0) + 1;
          expect(await differences()).toEqual([]);
        }
      }),
      runs,
    );

    // The comparison shows little where requests are refused, or where nothing comes together.
    expect(seen[200]).toBeGreaterThan(6 * runs.numRuns);
    expect(Object.keys(seen)).toEqual(["200", "422"]);
    const [reached] = await rows(`
      SELECT
        (SELECT count(*) FROM message_groups WHERE earlier_id IS NOT NULL) AS earlier,
        (SELECT count(*) FROM message_groups WHERE id IS NULL) AS removed,
        (SELECT count(*) FROM memberships WHERE joined = 0) AS left,
        (SELECT count(*) FROM campaign_stores WHERE listed = 0) AS unlisted,
        (SELECT count(*) FROM team_links WHERE depth = 5) AS deep,
        (SELECT count(*) FROM play_totals) AS played,
        (SELECT count(*) FROM memberships WHERE tokens_3 <> 0) AS earned`);
    expect(Math.min(...Object.values(reached ?? {}).map(Number))).toBeGreaterThan(runs.numRuns / 4);
  });
});
