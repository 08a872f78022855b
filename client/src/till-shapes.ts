import type { Check, CouponRecord } from "./shapes.ts";

export type TillCoupon = CouponRecord & { reserved: number; redeemable: boolean; checks?: Check[] | undefined };
export interface Redeemed {
  redemption: { id: string; customer_coupon_id: string; store_id: string; redeemed_at: string; reverses: string | null };
  remaining_count: number;
  repeated: boolean;
}
export interface Held {
  held_until: string;
  repeated: boolean;
}
export interface Freed {
  freed: boolean;
  redeemed: boolean;
}
export interface Explanation {
  shown: boolean;
  checks: Check[];
}
