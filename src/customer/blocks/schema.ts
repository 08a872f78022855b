import * as z from "zod";
import { named } from "../../http/answer-schema.ts";

export const BlockPath = z.object({ customer_id: z.string().describe("The id of the other customer.") });

export const Block = named("Block", {
  customer_id: z.string().describe("The id of the other customer."),
  is_blocked: z.boolean().describe("Whether the caller has blocked that customer."),
});
export type Block = z.output<typeof Block>;
