import * as z from "zod";
import { Check, named } from "../../http/answer-schema.ts";
import { Id } from "../../values/text.ts";

export const ExplanationQuery = z
  .object({
    customer_id: Id.describe("The customer."),
    customer_coupon_id: Id.optional().describe("The coupon that was issued to a customer."),
    coupon_id: Id.optional().describe("A digital coupon."),
  })
  .refine(({ customer_coupon_id: held, coupon_id: digital }) => (held === undefined) !== (digital === undefined), {
    path: ["customer_coupon_id"],
    error: "must be given, or coupon_id, but not both",
    when: () => true,
  });
export type ExplanationQuery = z.output<typeof ExplanationQuery>;

export const Explanation = named("Explanation", {
  shown: z.boolean().describe("Whether the customer's coupon list shows the coupon."),
  checks: z.array(Check).describe("Every condition of the list, in a fixed order."),
});
export type Explanation = z.output<typeof Explanation>;
