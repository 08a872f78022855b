import { notFound } from "../../http/errors.ts";
import { checksOf, REDEMPTION_CHECKS } from "../coupons/checks.ts";
import { notCovered } from "../coverage.ts";
import { otherKind } from "../redemptions/answer.ts";
import { impossible, mustRepeat } from "../refusals.ts";
import type { HoldFacts } from "./queries.ts";
import type { Hold, HoldBody } from "./schema.ts";

/**
 * The answer for a use that was just held, or earlier.
 * @throws why it was refused, in this order: 403, 409, 404, 422 (docs/contract/till.md).
 */
export function toHold(asked: HoldBody, facts: HoldFacts | undefined): Hold {
  if (facts === undefined) throw new Error("The program has no state.");
  if (!facts.is_covered) throw notCovered();
  const { id, customer_coupon_id, store_id } = asked;
  const answer = (held_until: string): Hold => ({
    id,
    customer_coupon_id,
    store_id,
    held_until,
    repeated: !facts.is_new,
  });
  const isStoredCovered = facts.is_stored_covered === 1;
  if (facts.hold_id !== null) {
    // A hold that was freed before it arrived has no coupon.
    const { hold_coupon: coupon, hold_store } = facts;
    if (coupon !== null)
      mustRepeat(
        { customer_coupon_id, store_id },
        { customer_coupon_id: coupon, store_id: hold_store },
        isStoredCovered,
      );
    return answer(facts.held_until);
  }
  if (facts.stored_id !== null) {
    // A hold that arrives after the redemption of its id has ended with it.
    const { stored_coupon, reverses } = facts;
    const stored = { customer_coupon_id: stored_coupon, redemption_id: reverses };
    mustRepeat({ customer_coupon_id, redemption_id: null }, stored, isStoredCovered, otherKind(null, reverses));
    return answer(facts.redeemed_at);
  }
  if (!facts.has_store) throw notFound("There is no store with this id.");
  if (facts.coupon === null) throw notFound("No customer holds a coupon with this id.");
  throw impossible("The hold", checksOf(REDEMPTION_CHECKS, facts));
}
