import * as z from "zod";
import { success } from "../../../http/answer-schema.ts";
import type { Operation } from "../../../openapi/notes.ts";
import { CustomerPath, TillCoupon } from "./schema.ts";

export const listTillCoupons: Operation = {
  id: "tillCoupons",
  summary: "A customer's coupons at a till",
  description:
    "The store and manufacturer coupons of the store's account that the customer holds, in the order of the coupon list, each with " +
    "whether it can be redeemed, and otherwise why not. The last page ends with at most 50 that are used up or have ended.",
  parameters: { in: "path", schema: CustomerPath },
  answer: success(z.array(TillCoupon)),
  examples: [{ summary: "The first coupons", path: { id: "c1" }, query: { store_id: "s101-1-4" } }],
  failures: ["NotFound"],
};
