import * as z from "zod";
import { AccountBalance } from "../../customer/me/operations.ts";
import { named, success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";

/** A customer as a till sees them (docs/contract/feed.md, 6). */
export const CardHolder = named("CardHolder", {
  id: z.string().describe("The customer's id."),
  first_name: z.string().describe("First name."),
  last_name: z.string().describe("Last name."),
  balances: z.array(AccountBalance).describe("What the customer has with each account, by the account's name."),
});
export type CardHolder = z.output<typeof CardHolder>;

export const lookUpCustomers: Operation = {
  id: "customers",
  summary: "Customers",
  description:
    "The customers with exactly this `scan_id`, by id, at most 100. A token with the scope `lookup` may do this alone, so " +
    "that a till holds no token that reads everything.",
  answer: success(z.array(CardHolder)),
  examples: [{ summary: "The holder of a card", query: { scan_id: "4000000000" } }],
  failures: ["NotFound"],
};
