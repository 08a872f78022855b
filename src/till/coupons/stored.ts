import { mustRepeat } from "../refusals.ts";
import type { CouponFacts } from "./queries.ts";

// Holds, redemptions and reversals share one space of ids, so each may meet what another has stored (docs/contract/till.md, 1).

/** The fields that are compared. */
type Asked = Partial<Record<"customer_coupon_id" | "store_id" | "redemption_id", string | null>>;

/** @throws the failure 409 unless the redemption or reversal with the id says the same. */
export function mustRepeatEvent(asked: Asked, { stored_coupon, stored_store, reverses, ...facts }: CouponFacts): void {
  const stored = { customer_coupon_id: stored_coupon, store_id: stored_store, redemption_id: reverses };
  const isReversal = reverses !== null;
  const isOther = isReversal !== ((asked.redemption_id ?? null) !== null);
  const kind = isReversal ? "a reversal" : "a redemption";
  mustRepeat(asked, stored, facts.is_stored_covered === 1, isOther ? kind : undefined);
}

/** @throws the failure 409 unless the hold with the id says the same. */
export function mustRepeatHold(asked: Asked, { hold_coupon, hold_store, ...facts }: CouponFacts): void {
  const held = { customer_coupon_id: hold_coupon, store_id: hold_store, redemption_id: null };
  mustRepeat(asked, held, facts.is_hold_covered === 1, asked.redemption_id ? "a hold" : undefined);
}
