import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { fed, fedTime, key, owner, refersTo, storingRequest } from "../db/columns.ts";
import { EventId } from "../db/derived/summaries.ts";
import { derivedTotal } from "../db/derived/totals.ts";
import type { Fault, Kind } from "../db/kind.ts";
import { NOT_STORED } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { tillHolds } from "../db/tables.ts";
import { orNull } from "../values/scalar.ts";
import { Id } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { coupons } from "./coupon.ts";
import { customerCoupon, customerCoupons } from "./customer-coupon.ts";
import { store, stores } from "./store.ts";
import { liveHolds } from "./views.ts";

/** A use of a coupon that a customer holds; with `reverses`, one that gives a use back (docs/contract/till.md, 3). */
const record = event(
  "redemption",
  "redemptions",
  {
    id: key(fed(text().primaryKey(), EventId)),
    customer_coupon_key: {
      column: text()
        .notNull()
        .references(() => customerCoupons.id),
      fields: { customer_coupon_id: Id },
      to: { ...customerCoupon, keyColumn: "id" as const },
    },
    store_key: owner(refersTo(store, { store_id: Id })),
    redeemed_at: fedTime(orNull(FedTime)),
    reverses: fed(text(), orNull(Id)),
    request: storingRequest(),
  },
  { time: "redeemed_at", alsoCompared: ["reverses"], correction: "one that reverses it" },
);
export const redemptions = record.table;

/** How often a coupon was redeemed, less how often that was reversed. */
export const usesRedeemed = derivedTotal({
  events: record,
  table: customerCoupons,
  storedAs: "columns",
  keys: { id: redemptions.customer_coupon_key },
  measures: { redeemed: sql`iif(${redemptions.reverses} IS NULL, 1, -1)` },
});

const OTHER_ACCOUNT: Fault = {
  field: "customer_coupon_id",
  text: "names a coupon of another account than the store's",
  when: sql`EXISTS (
    SELECT 1 FROM ${customerCoupons} CROSS JOIN ${coupons} ON ${coupons.key} = ${customerCoupons.campaign_coupon_key}
    CROSS JOIN ${stores} ON ${stores.key} = line.store_key
    WHERE ${customerCoupons.id} = line.customer_coupon_key AND ${coupons.account_key} <> ${stores.account_key}
  )`,
};

// A reversal may stand in the same request as what it reverses: `redemption` has the new events of the request.
const reversesOne = (condition: string) =>
  sql`(EXISTS (SELECT 1 FROM ${redemptions} AS one WHERE one.id = line.reverses AND ${sql.raw(condition)})
    OR EXISTS (SELECT 1 FROM redemption AS one WHERE one.id = line.reverses AND ${sql.raw(condition)}))`;
const badReversal = (text: string, when: ReturnType<typeof sql>): Fault => ({
  field: "reverses",
  text,
  when: sql`line.reverses IS NOT NULL AND ${when}`,
});

export const redemption = {
  ...record,
  check: [
    OTHER_ACCOUNT,
    badReversal(NOT_STORED, sql`NOT ${reversesOne("true")}`),
    badReversal("is of another coupon", reversesOne("one.customer_coupon_key IS NOT line.customer_coupon_key")),
    badReversal("is itself a reversal", reversesOne("one.reverses IS NOT NULL")),
    badReversal(
      "is reversed already",
      sql`(EXISTS (SELECT 1 FROM ${redemptions} AS other WHERE other.reverses = line.reverses)
        OR EXISTS (SELECT 1 FROM redemption AS other WHERE other.reverses = line.reverses AND other.number < line.number))`,
    ),
  ],
  write: { totals: [usesRedeemed] },
  read: {
    isAbout: (customerKey) => sql`${redemptions.customer_coupon_key} IN (
      SELECT ${customerCoupons.id} FROM ${customerCoupons} WHERE ${customerCoupons.customer_key} = ${customerKey}
    )`,
    // A reversal comes after what it reverses.
    scans: [
      { leftOut: sql`${redemptions.reverses} IS NOT NULL` },
      { order: ["reverses"], when: sql`${redemptions.reverses} IS NOT NULL` },
    ],
  },
} satisfies Kind;

// What counts of a row of customer_coupons (docs/contract/till.md, 3).

/** How often the coupon was used: as fed, and as redeemed. */
export const USAGE_COUNT = sql<number>`${customerCoupons.usage_count} + ${customerCoupons.redeemed}`;
/** How many of its uses tills hold now. A coupon without a hold reads no row: the clock counts as one. */
export const LIVE_HOLDS = sql<number>`iif(
  EXISTS (SELECT 1 FROM ${tillHolds} WHERE ${tillHolds.customer_coupon_key} = ${customerCoupons.id} AND ${tillHolds.state} = 'held'),
  (SELECT count(*) FROM ${liveHolds} WHERE ${liveHolds.customer_coupon_key} = ${customerCoupons.id}), 0
)`;
/** How often it may still be used, while so many of its uses are held. */
export const remainingCount = (holds: SQL) =>
  sql<number>`max(0, ${customerCoupons.total_count} - (${USAGE_COUNT}) - ${holds})`;
