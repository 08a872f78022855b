import { AHEAD } from "../../feed/refusals.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { checksOf, REDEMPTION_CHECKS } from "../coupons/checks.ts";
import type { CouponFacts } from "../coupons/queries.ts";
import { mustRepeatEvent, mustRepeatHold } from "../coupons/stored.ts";
import { notCovered } from "../coverage.ts";
import { impossible } from "../refusals.ts";
import type { RedemptionFacts } from "./queries.ts";
import type { Redeemed, RedemptionBody } from "./schema.ts";

/**
 * The answer for a coupon that was just redeemed, or earlier.
 * @throws why it was refused, in this order: 403, 409, 404, 422 (docs/contract/till.md).
 */
export function toRedeemed(asked: RedemptionBody, facts: RedemptionFacts): Redeemed {
  if (!facts.is_covered) throw notCovered();
  if (facts.stored_id === null) throw refusalOf(asked, facts);
  const { customer_coupon_id, store_id } = asked;
  return storedRedemption({ customer_coupon_id, store_id, redemption_id: null }, facts);
}

/** Why nothing was stored. */
function refusalOf({ customer_coupon_id }: RedemptionBody, facts: RedemptionFacts): Error {
  if (facts.hold_coupon !== null) mustRepeatHold({ customer_coupon_id }, facts);
  if (!facts.has_store) return notFound("There is no store with this id.");
  if (facts.coupon === null) return notFound("No customer holds a coupon with this id.");
  if (!facts.has_happened) return invalid({ redeemed_at: [AHEAD] });
  return impossible("The redemption", checksOf(REDEMPTION_CHECKS, facts));
}

/** The stored redemption or reversal, if it is what was asked. `asked`: the fields that are compared. */
export function storedRedemption(
  asked: { customer_coupon_id?: string; store_id: string; redemption_id: string | null },
  facts: CouponFacts & { is_new: 0 | 1 },
): Redeemed {
  const { stored_id, stored_coupon, stored_store, redeemed_at, reverses, remaining_count } = facts;
  mustRepeatEvent(asked, facts);
  return {
    redemption: {
      id: stored_id ?? "",
      customer_coupon_id: stored_coupon,
      store_id: stored_store,
      redeemed_at,
      reverses,
    },
    remaining_count,
    repeated: !facts.is_new,
  };
}
