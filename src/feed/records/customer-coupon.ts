import { sql } from "drizzle-orm";
import { customerCoupons } from "../../db/tables.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id, ShortText } from "../../values/text.ts";
import { End, FedTime } from "../../values/time.ts";
import { lastSecondOfEnd, TimeZone } from "../../values/time-zone.ts";
import { coupon } from "./coupon.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { ofAnotherAccount } from "./faults.ts";
import { store } from "./store.ts";

export const customerCoupon = defineKind(customerCoupons, {
  record: "customer_coupon",
  fields: {
    id: Id,
    customer_id: Id,
    campaign_coupon_id: Id,
    store_id: Id,
    coupon_id: orNull(ShortText),
    expected_end_date: orNull(End),
    time_zone: orElse(TimeZone, "UTC"),
    creation_method: orElse(ShortText, "TriggeredSale"),
    reserved: orElse(Count, 0),
    total_count: orElse(Count, 1),
    usage_count: orElse(Count, 0),
    created_at: orNull(FedTime),
    updated_at: orNull(FedTime),
    deleted_at: orNull(FedTime),
  },
  columns: {
    ends_at: { made: ({ expected_end_date, time_zone }) => lastSecondOfEnd(expected_end_date, time_zone) },
  },
  references: { customer_id: customer, campaign_coupon_id: coupon, store_id: store },
  rules: ({ usage_count, total_count }) =>
    usage_count > total_count ? { usage_count: ["must be at most total_count"] } : {},
  faults: [
    {
      field: "campaign_coupon_id",
      text: "must be a coupon of kind store or mfg",
      when: sql`EXISTS (SELECT 1 FROM coupons WHERE key = line.campaign_coupon_key AND kind = 'digital')`,
    },
    ofAnotherAccount("campaign_coupon_id", "a coupon", coupon),
  ],
  exportPageLimit: "sentBytes",
});
