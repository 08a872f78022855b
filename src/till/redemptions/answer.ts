import { AHEAD } from "../../feed/refusals.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { checksOf, REDEMPTION_CHECKS } from "../coupons/checks.ts";
import type { CouponFacts } from "../coupons/queries.ts";
import { notCovered } from "../coverage.ts";
import { impossible, mustRepeat } from "../refusals.ts";
import type { RedemptionFacts } from "./queries.ts";
import type { Redeemed, RedemptionBody } from "./schema.ts";

/**
 * The answer for a coupon that was just redeemed, or earlier.
 * @throws why it was refused, in this order: 403, 409, 404, 422 (docs/contract/till.md).
 */
export function toRedeemed(asked: RedemptionBody, facts: RedemptionFacts | undefined): Redeemed {
  if (facts === undefined) throw new Error("The program has no state.");
  if (!facts.is_covered) throw notCovered();
  if (facts.stored_id === null) throw refusalOf(asked, facts);
  const { customer_coupon_id, store_id } = asked;
  return storedRedemption({ customer_coupon_id, store_id, redemption_id: null }, facts);
}

/** Why nothing was stored. */
function refusalOf({ customer_coupon_id }: RedemptionBody, facts: RedemptionFacts): Error {
  if (facts.hold_coupon !== null)
    mustRepeat({ customer_coupon_id }, { customer_coupon_id: facts.hold_coupon }, facts.is_stored_covered === 1);
  if (!facts.has_store) return notFound("There is no store with this id.");
  if (facts.coupon === null) return notFound("No customer holds a coupon with this id.");
  if (!facts.has_happened) return invalid({ redeemed_at: [AHEAD] });
  return impossible("The redemption", checksOf(REDEMPTION_CHECKS, facts));
}

/** What is stored, if only one of both is a reversal. They name the redemption that they reverse. */
export function otherKind(asked: string | null, stored: string | null): string | undefined {
  if ((asked === null) === (stored === null)) return undefined;
  return stored === null ? "a redemption" : "a reversal";
}

/** The stored redemption or reversal, if it is what was asked. `asked`: the fields that are compared. */
export function storedRedemption(
  asked: { customer_coupon_id?: string; store_id: string; redemption_id: string | null },
  facts: CouponFacts & { is_new: 0 | 1 },
): Redeemed {
  const { stored_id, stored_coupon, stored_store, redeemed_at, reverses, remaining_count } = facts;
  const stored = { customer_coupon_id: stored_coupon, store_id: stored_store, redemption_id: reverses };
  mustRepeat(asked, stored, facts.is_stored_covered === 1, otherKind(asked.redemption_id, reverses));
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
