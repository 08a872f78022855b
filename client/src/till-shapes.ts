import type { CouponRecord, Me } from "./shapes.ts";
import type { Check } from "./till-calls.ts";

export interface TillCustomer {
  id: string;
  first_name: string;
  last_name: string;
  balances: Me["balances"];
}
export type TillCoupon = CouponRecord & { reserved: number } & (
    | { redeemable: true }
    | { redeemable: false; checks: Check[] }
  );
export interface BookedEntry {
  id: string;
  customer_id: string;
  store_id: string;
  amount: string;
  campaign_id: string | null;
  description: string;
  created_at: string;
  balance: string;
  repeated?: true;
}
export interface Hold {
  id: string;
  customer_coupon_id: string;
  store_id: string;
  held_until: string;
  repeated?: true;
}
export interface FreedHold {
  freed: boolean;
  redeemed: boolean;
}
export interface Redemption {
  id: string;
  customer_coupon_id: string;
  store_id: string;
  redeemed_at: string;
  reverses: string | null;
  remaining_count: number;
  repeated?: true;
}
export interface Explanation {
  shown: boolean;
  checks: Check[];
}
