import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { integerParameter } from "../../values/number.ts";
import { IdInBody } from "../../values/parameter.ts";
import { Id } from "../../values/text.ts";
import { Repeated, StoreIdInBody, WriteId } from "../schema.ts";

const LONGEST_SECONDS = 86_400;

export const HoldBody = z.object({
  id: WriteId,
  customer_coupon_id: IdInBody.describe("The id of the customer's coupon."),
  store_id: StoreIdInBody,
  seconds: integerParameter({ min: 1, max: LONGEST_SECONDS }).describe("For how long; at most until the coupon's end."),
});
export type HoldBody = z.output<typeof HoldBody>;

/** The path of a hold. */
export const HoldPath = z.object({ id: Id.describe("The id of the hold.") });

export const Hold = named("Hold", {
  id: z.string().describe("The hold's id."),
  customer_coupon_id: z.string().describe("The customer's coupon."),
  store_id: z.string().describe("The store."),
  held_until: z.string().describe("The last second of the hold, in UTC; or when it ended."),
  repeated: Repeated,
});
export type Hold = z.output<typeof Hold>;

export const Freed = named("Freed", {
  freed: z.boolean().describe("Whether the hold was freed, now or by an earlier request."),
  redeemed: z.boolean().describe("Whether a redemption has this id."),
});
export type Freed = z.output<typeof Freed>;
