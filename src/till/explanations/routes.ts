import { createRouter } from "../../app-env.ts";
import type { Check } from "../../http/answer-schema.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { checksOf, DIGITAL_CHECKS, HELD_CHECKS } from "../coupons/checks.ts";
import { accountsIn, notCovered } from "../coverage.ts";
import { findDigital, findHeld } from "./queries.ts";
import { type Explanation, ExplanationQuery } from "./schema.ts";

/** @throws the failure 403 or 404. */
function mustBeThere(facts: { has_customer: 0 | 1; has_coupon: 0 | 1; is_covered: 0 | 1 }): void {
  if (facts.has_coupon && !facts.is_covered) throw notCovered();
  if (!facts.has_customer) throw notFound("There is no customer with this id.");
  if (!facts.has_coupon) throw notFound("There is no coupon with this id.");
}

const explain = (checks: Check[]): Explanation => ({ shown: checks.every(({ holds }) => holds), checks });

export const explanations = createRouter().get("/", validateQuery(ExplanationQuery), async (c) => {
  const { customer_id: customerId, customer_coupon_id: heldId, coupon_id: digitalId = "" } = c.req.valid("query");
  const asked = { customerId, couponId: heldId ?? digitalId, accounts: accountsIn(c.var.till) };

  if (heldId === undefined) {
    const digital = await findDigital(c.var.db, asked);
    if (digital === undefined) throw new Error("The program has no state.");
    mustBeThere(digital);
    return answerItems<Explanation>(c, toJson(explain(checksOf(DIGITAL_CHECKS, digital))));
  }
  const held = await findHeld(c.var.db, asked);
  if (held === undefined) throw new Error("The program has no state.");
  mustBeThere(held);
  return answerItems<Explanation>(c, toJson(explain(checksOf(["belongs_to_customer", ...HELD_CHECKS], held))));
});
