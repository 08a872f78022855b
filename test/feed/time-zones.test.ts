import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";

const CUSTOMER = "/api/v1/customer";
const DAY = { start: "2026-05-10", end: "2026-05-10" };
const DAY_IN_ZONE = { ...DAY, time_zone: "America/Los_Angeles" };

/** A program whose dates are all in one time zone. */
function programIn({ time_zone, start, end }: { time_zone?: string; start: string; end: string }) {
  const account = seed.account();
  const store = seed.store(account.id);
  const customer = seed.customer();
  const employee = seed.employee(account.id);
  const campaign = seed.campaign(account.id, { campaign_start_date: start, campaign_end_date: end, time_zone });
  const contest = seed.eipCampaign(account.id, { start_date: start, end_date: end, time_zone });
  const expiring = { can_expire: 1, expiration_date: end, time_zone };
  const coupon = seed.coupon(account.id, expiring);
  const digital = seed.coupon(account.id, { kind: "digital", ...expiring });
  const endless = seed.coupon(account.id);
  const issued = [
    seed.customerCoupon(customer.id, coupon.id, store.id),
    seed.customerCoupon(customer.id, endless.id, store.id, { expected_end_date: end, time_zone }),
  ];
  const lines = [
    ...[account, store, customer, employee, campaign, contest, coupon, digital, endless, ...issued],
    seed.membership(store.id, customer.id),
    seed.play(contest.id, store.id, employee.id, { hits: 1 }),
  ];
  return { account, store, customer, campaign, contest, coupon, digital, issued, lines };
}

/** How many items of each list the customer gets. */
async function shownCounts({ account, store, customer }: ReturnType<typeof programIn>) {
  const api = as(String(customer.id));
  const nearby = await api.post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
    latitude: 35.47,
    longitude: -97.52,
    single_account_id: account.id,
  });
  const me = await api.get(`${CUSTOMER}/me`);
  const board = await api.post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store.id });
  const coupons = await api.get(`${CUSTOMER}/coupons`);
  const myCoupons = await api.get(`${CUSTOMER}/my-coupons`);
  return {
    nearby: nearby.body.items.length,
    campaigns: me.body.items.campaigns_total,
    board: board.body.items.length,
    coupons: coupons.body.items?.length ?? 0,
    digital: myCoupons.body.items?.digital.length ?? 0,
  };
}

const NOTHING_SHOWN = { nearby: 0, campaigns: 0, board: 0, coupons: 0, digital: 0 };
const ALL_SHOWN = { nearby: 1, campaigns: 1, board: 1, coupons: 2, digital: 1 };
/** Coupons have no start. */
const NOT_BEGUN = { ...ALL_SHOWN, nearby: 0, campaigns: 0, board: 0 };

describe("time_zone", () => {
  it.for([
    ["has not begun a second before its midnight there", DAY_IN_ZONE, "2026-05-10 06:59:59", NOT_BEGUN],
    ["has begun at its midnight there", DAY_IN_ZONE, "2026-05-10 07:00:00", ALL_SHOWN],
    ["lasts to its last second there", DAY_IN_ZONE, "2026-05-11 06:59:59", ALL_SHOWN],
    ["is over at the next midnight there", DAY_IN_ZONE, "2026-05-11 07:00:00", NOTHING_SHOWN],
    ["lasts to its last second in UTC without a time zone", DAY, "2026-05-10 23:59:59", ALL_SHOWN],
    ["is over at the next midnight in UTC without a time zone", DAY, "2026-05-11 00:00:00", NOTHING_SHOWN],
  ] as const)("says when a day begins and ends. It %s: %j at %s", async ([, dates, now, expected], { expect }) => {
    const datedProgram = programIn(dates);
    await setClock(now);
    await mustFeed(datedProgram.lines);

    expect(await shownCounts(datedProgram)).toEqual(expected);
  });

  it("gives the last second of the year 9999 for a day that ends later in UTC", async ({ expect }) => {
    const datedProgram = programIn({ ...DAY, time_zone: "America/New_York", end: "9999-12-31" });
    await setClock("2026-05-10 12:00:00");
    await mustFeed(datedProgram.lines);

    const { items } = (await as(String(datedProgram.customer.id)).get(`${CUSTOMER}/coupons`)).body;

    expect(items.flatMap((item: object) => Object.values(item))).toContain("9999-12-31 23:59:59");
    expect(JSON.stringify(items)).not.toContain("never");
  });
});
