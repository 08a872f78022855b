import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { byDatabase, bySql, fed, fedTime, fixed, key, owner, refersTo, softDelete, subject } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { Count } from "../values/number.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id, ShortText } from "../values/text.ts";
import { End, FedTime } from "../values/time.ts";
import { lastSecondOfEnd, TimeZone } from "../values/time-zone.ts";
import { coupon, coupons } from "./coupon.ts";
import { customer } from "./customer.ts";
import { ofAnotherAccount, store } from "./store.ts";

/** A coupon that was issued to a customer. A delete keeps it, because its uses still count. */
export const customerCoupon = state(
  "customer_coupon",
  "customer_coupons",
  {
    id: key(fed(text().primaryKey(), Id)),
    customer_key: subject(fixed(refersTo(customer, { customer_id: Id }))),
    campaign_coupon_key: owner(fixed(refersTo(coupon, { campaign_coupon_id: Id }))),
    store_key: fixed(refersTo(store, { store_id: Id })),
    /** That of the coupon, which never changes. */
    kind: bySql(
      text().notNull(),
      {},
      sql`(SELECT ${coupons.kind} FROM ${coupons} WHERE ${coupons.key} = line.campaign_coupon_key)`,
    ),
    /** Plain text, no reference. */
    coupon_id: fed(text(), orNull(ShortText)),
    /** As fed: a time, or a date in the time zone. Answers show `ends_at`. */
    expected_end_date: fed(text(), orNull(End)),
    time_zone: fed(text().notNull(), withDefault(TimeZone, "UTC")),
    creation_method: fed(text().notNull(), withDefault(ShortText, "TriggeredSale")),
    reserved: fed(integer().notNull(), withDefault(Count, 0)),
    /** How often it may be used. */
    total_count: fed(integer().notNull(), withDefault(Count, 1)),
    /** How often it was used, as fed. */
    usage_count: fed(integer().notNull(), withDefault(Count, 0)),
    created_at: fedTime(orNull(FedTime)),
    updated_at: fed(text(), orNull(FedTime)),
    /** As fed, for answers; NULL: not deleted. */
    deleted_at: fed(text(), orNull(FedTime)),
    deleted: softDelete(),
    /** Derived: its redemptions less their reversals. */
    redeemed: byDatabase(integer().notNull().default(0)),
    not_withdrawn: byDatabase(integer()),
    not_used_up: byDatabase(integer()),
    /** 1: it can be used. */
    usable: byDatabase(integer()),
  },
  {
    made: {
      /** The last valid second, in UTC. The coupon itself may end earlier. */
      ends_at: ({ expected_end_date, time_zone }) => lastSecondOfEnd(expected_end_date, time_zone),
    },
    rules: ({ usage_count, total_count }) =>
      usage_count > total_count ? { usage_count: ["must be at most total_count"] } : {},
    check: [
      {
        field: "campaign_coupon_id",
        text: "must be a coupon of kind store or mfg",
        when: sql`EXISTS (
          SELECT 1 FROM ${coupons} WHERE ${coupons.key} = line.campaign_coupon_key AND ${coupons.kind} = 'digital'
        )`,
      },
      ofAnotherAccount("campaign_coupon_id", "campaign_coupon_key", "a coupon", coupon),
    ],
    hasLongRows: true,
  },
);
export const customerCoupons = customerCoupon.table;
