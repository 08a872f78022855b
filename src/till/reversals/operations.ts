import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Redeemed } from "../redemptions/schema.ts";

export const reverseRedemption: Operation = {
  id: "reverseRedemption",
  summary: "Reverse a redemption",
  description: "Gives the use back, also after the coupon's end. A redemption can be reversed once.",
  answer: success(Redeemed),
  examples: [
    {
      summary: "The use is given back",
      body: { id: "till-3-0817", redemption_id: "till-3-0816", store_id: "s101-1-4" },
    },
  ],
  failures: ["NotFound", "Conflict", "NotPossible"],
};
