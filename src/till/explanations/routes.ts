import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { accountsIn, notCovered } from "../coverage.ts";
import { explainDigital, explainHeld } from "./queries.ts";
import { type Explanation, ExplanationQuery } from "./schema.ts";

export const explanations = createRouter().get("/", validateQuery(ExplanationQuery), async (c) => {
  const { customer_id: customerId, customer_coupon_id: heldId, coupon_id: digitalId = "" } = c.req.valid("query");
  const asked = { customerId, couponId: heldId ?? digitalId, accounts: accountsIn(c.var.till) };

  const explain = heldId === undefined ? explainDigital : explainHeld;
  const { has_customer, has_coupon, is_covered, checks } = await explain(c.var.db, asked);
  if (has_coupon && !is_covered) throw notCovered();
  if (!has_customer) throw notFound("There is no customer with this id.");
  if (!has_coupon) throw notFound("There is no coupon with this id.");

  return answerItems<Explanation>(c, toJson({ shown: checks.every(({ holds }) => holds), checks }));
});
