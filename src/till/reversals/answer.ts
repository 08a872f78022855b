import { notFound } from "../../http/errors.ts";
import { checksOf, REVERSAL_CHECKS } from "../coupons/checks.ts";
import { notCovered } from "../coverage.ts";
import { storedRedemption } from "../redemptions/answer.ts";
import type { Redeemed } from "../redemptions/schema.ts";
import { impossible, mustRepeat } from "../refusals.ts";
import type { ReversalFacts } from "./queries.ts";
import type { ReversalBody } from "./schema.ts";

/**
 * The answer for a use that was just given back, or earlier.
 * @throws why it was refused, in this order: 403, 409, 404, 422 (docs/contract/till.md).
 */
export function toReversed(asked: ReversalBody, facts: ReversalFacts | undefined): Redeemed {
  if (facts === undefined) throw new Error("The program has no state.");
  if (!facts.is_covered) throw notCovered();
  const { redemption_id, store_id } = asked;
  if (facts.stored_id !== null) return storedRedemption({ store_id, redemption_id }, facts);
  if (facts.hold_id !== null)
    mustRepeat({ redemption_id }, { redemption_id: null }, facts.is_stored_covered === 1, "a hold");
  if (!facts.has_store) throw notFound("There is no store with this id.");
  if (!facts.has_redemption) throw notFound("There is no redemption with this id.");
  throw impossible("The reversal", checksOf(REVERSAL_CHECKS, facts));
}
