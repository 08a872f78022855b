import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Explanation } from "./schema.ts";

export const explainCoupon: Operation = {
  id: "explainCoupon",
  summary: "Explain a coupon",
  description:
    "Why the customer's coupon list shows a coupon, or does not: every condition of the list, with whether it holds. Name a coupon " +
    "that was issued by `customer_coupon_id`, a digital coupon by `coupon_id`.",
  answer: success(Explanation),
  examples: [
    { summary: "A coupon that is used up", query: { customer_id: "c1", customer_coupon_id: "cc0-2-welcome" } },
  ],
  failures: ["NotFound"],
};
