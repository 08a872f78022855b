import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Freed, Hold, HoldPath } from "./schema.ts";

export const holdCoupon: Operation = {
  id: "holdCoupon",
  summary: "Hold a use of a coupon",
  description:
    "Reserves one use for 1 to 86,400 seconds, at most until the coupon's end. The redemption with the same `id` takes it. A " +
    "repetition answers the same `held_until`: a hold never begins anew.",
  answer: success(Hold),
  examples: [
    {
      summary: "For ten minutes",
      body: { id: "till-3-0818", customer_coupon_id: "cc0-2-welcome", store_id: "s101-1-4", seconds: 600 },
    },
  ],
  failures: ["NotFound", "Conflict", "NotPossible"],
};

export const freeHold: Operation = {
  id: "freeHold",
  summary: "Free a hold",
  description:
    "Ends the hold. Also for an id that nobody has used: then a hold that arrives later is answered as ended. Tells whether a " +
    "redemption has the id.",
  parameters: { in: "path", schema: HoldPath },
  answer: success(Freed),
  failures: ["InvalidFields"],
  examples: [{ summary: "The hold ends", path: { id: "till-3-0818" } }],
};
