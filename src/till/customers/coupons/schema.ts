import * as z from "zod";
import { CouponRecord, couponPlace } from "../../../customer/coupons/schema.ts";
import { Check } from "../../../http/answer-schema.ts";
import { placeParameter } from "../../../http/paging.ts";
import { Id } from "../../../values/text.ts";

export const TillCouponsQuery = z.object({
  store_id: Id.describe("The store where the till stands."),
  after: placeParameter(couponPlace),
});

/** The path of a customer. */
export const CustomerPath = z.object({ id: z.string().describe("The customer's id.") });

export const TillCoupon = CouponRecord.extend({
  redeemable: z.boolean().describe("Whether the till can redeem it now."),
  checks: z.array(Check).optional().describe("Where it cannot: the conditions that do not hold."),
}).meta({ id: "TillCoupon" });
export type TillCoupon = z.output<typeof TillCoupon>;
