import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { IdInBody, undefinedIfEmpty } from "../../values/parameter.ts";
import { FedTime } from "../../values/time.ts";
import { Repeated, StoreIdInBody, WriteId } from "../schema.ts";

export const RedemptionBody = z.object({
  id: WriteId,
  customer_coupon_id: IdInBody.describe("The id of the customer's coupon."),
  store_id: StoreIdInBody,
  redeemed_at: z
    .preprocess(undefinedIfEmpty, FedTime.optional())
    .describe("When it was used, in UTC; left out: now. At most a day ahead."),
});
export type RedemptionBody = z.output<typeof RedemptionBody>;

/** A redemption or a reversal as the feed would take it. */
const TillRedemption = named("TillRedemption", {
  id: z.string().describe("The id of the redemption or reversal."),
  customer_coupon_id: z.string().describe("The customer's coupon."),
  store_id: z.string().describe("The store."),
  redeemed_at: z.string().describe("When, in UTC."),
  reverses: z.string().nullable().describe("The redemption whose use a reversal gives back; null for a redemption."),
});

/** The answer to a redemption and to a reversal. */
export const Redeemed = named("Redeemed", {
  redemption: TillRedemption.describe("What is stored, as the feed would take it."),
  remaining_count: z.int().describe("How often the coupon may still be used now, without what tills hold."),
  repeated: Repeated,
});
export type Redeemed = z.output<typeof Redeemed>;
