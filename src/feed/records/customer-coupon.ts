import { sql } from "drizzle-orm";
import * as z from "zod";
import { customerCoupons } from "../../db/tables.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Field, Id } from "../../values/text.ts";
import { Datetime, End } from "../../values/time.ts";
import { COUPONS } from "./coupon.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";
import { STORES } from "./store.ts";

/** A coupon that was issued to a customer at a store. */
export const customerCoupon: StateKind = {
  type: "state",
  record: "customer_coupon",
  table: customerCoupons,
  fields: z.object({
    id: Id,
    customer_id: Id,
    campaign_coupon_id: Id,
    store_id: Id,
    coupon_id: orNull(Field),
    expected_end_date: orNull(End),
    creation_method: orElse(Field, "TriggeredSale"),
    reserved: orElse(Count, 0),
    total_count: orElse(Count, 1),
    usage_count: orElse(Count, 0),
    created_at: orNull(Datetime),
    updated_at: orNull(Datetime),
    deleted_at: orNull(Datetime),
  }),
  key: ["id"],
  fixed: ["customer_id", "campaign_coupon_id", "store_id"],
  times: ["created_at"],
  references: [
    { field: "customer_id", to: CUSTOMERS },
    { field: "campaign_coupon_id", to: COUPONS },
    { field: "store_id", to: STORES },
  ],
  rules: ({ usage_count, total_count }) =>
    Number(usage_count) > Number(total_count) ? { usage_count: ["must be at most total_count"] } : {},
  faults: [
    {
      field: "campaign_coupon_id",
      text: "must be a coupon of kind store or mfg",
      when: sql`EXISTS (SELECT 1 FROM coupons WHERE id = customer_coupon.campaign_coupon_id AND kind = 'digital')`,
    },
    {
      field: "campaign_coupon_id",
      text: "names a coupon of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM coupons JOIN stores ON stores.id = customer_coupon.store_id
        WHERE coupons.id = customer_coupon.campaign_coupon_id AND coupons.account_id <> stores.account_id
      )`,
    },
  ],
  storedAccounts: sql`
    SELECT line, stores.account_id FROM customer_coupon
    JOIN customer_coupons AS stored ON stored.id = customer_coupon.id
    JOIN stores ON stores.id = stored.store_id`,
};
