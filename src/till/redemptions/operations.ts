import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Redeemed } from "./schema.ts";

export const redeemCoupon: Operation = {
  id: "redeemCoupon",
  summary: "Redeem a coupon",
  description:
    "Uses the coupon once, and takes the hold with the same `id`. A use is never given away twice. The same `id` again is " +
    "answered with what is stored, and `repeated`.",
  answer: success(Redeemed),
  examples: [
    {
      summary: "One use",
      body: {
        id: "till-3-0816",
        customer_coupon_id: "cc0-2-welcome",
        store_id: "s101-1-4",
        redeemed_at: "2026-11-28 09:00:00",
      },
    },
  ],
  failures: ["NotFound", "Conflict", "NotPossible"],
};
