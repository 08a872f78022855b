import { mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { keyOf } from "./rows.ts";

// A small program of two accounts. The relations grow around its customer, all by what a token for the account 9 may feed,
// or by what customers do.

export const HERE = { latitude: 48.85, longitude: 2.35 };
/** Nobody's stores are here. */
export const NOWHERE = { latitude: 10, longitude: 10 };

const ids = { account: "9", caller: "caller", friend: "friend", store: "store", other: "other-store" };

/** SQL for the keys of the records. */
export const ACCOUNT = keyOf("accounts", "'9'");
export const CALLER = keyOf("customers", "'caller'");
export const FRIEND = keyOf("customers", "'friend'");
export const STORE = keyOf("stores", "'store'");
export const OTHER_STORE = keyOf("stores", "'other-store'");
export const CAMPAIGN = keyOf("campaigns", "'campaign'");
export const CONTEST = keyOf("eip_campaigns", "'contest'");
export const coupon = (id: string) => keyOf("coupons", `'${id}'`);

const LONG_LINES = { header_lines: Array(20).fill("世".repeat(200)), text_lines: Array(20).fill("世".repeat(200)) };

/** Feeds the program, at a stopped clock. */
export async function feedProgram(): Promise<void> {
  await setClock("2027-03-01 00:00:00");
  const { account, caller, friend, store, other } = ids;
  const [mine, theirs] = [
    seed.store("8", { id: "their-store", ...HERE }),
    seed.campaign("8", { id: "their-campaign" }),
  ];
  await mustFeed([
    seed.account({ id: account }),
    seed.account({ id: "8" }),
    seed.store(account, { id: store, ...HERE }),
    seed.store(account, { id: other, latitude: -40, longitude: 100 }),
    seed.campaign(account, { id: "campaign" }),
    seed.customer({ id: caller, scan_id: "card" }),
    seed.customer({ id: friend }),
    mine,
    theirs,
    seed.eipCampaign(account, { id: "contest" }),
    seed.employee(account, { id: "employee" }),
    seed.coupon(account, { id: "short" }),
    seed.coupon(account, { id: "long", ...LONG_LINES }),
    seed.coupon(account, { id: "removed" }),
    seed.coupon("8", { id: "theirs", kind: "digital" }),
  ]);
  const group = seed.group([friend, caller], { id: "group" });
  await mustFeed([
    seed.membership(store, caller),
    seed.membership("their-store", caller),
    seed.membership(store, friend, { referrer_id: caller }),
    seed.friendship(caller, friend),
    seed.entry(caller, store, "1.00", { campaign_id: "campaign" }),
    seed.entry(caller, "their-store", "1.00", { campaign_id: "their-campaign" }),
    seed.customerCoupon(caller, "short", store),
    seed.customerCoupon(caller, "long", store),
    // The first of each list, with uses for every till that asks.
    seed.customerCoupon(caller, "short", store, { id: "busy", total_count: 999_999, expected_end_date: "2030-01-01" }),
    seed.play("contest", store, "employee", { runs: "1", hits: 1 }),
    group,
    seed.message("group", friend),
    seed.deleted("coupon", { id: "removed" }),
  ]);
  await setClock("2027-03-01 00:00:10");
}
