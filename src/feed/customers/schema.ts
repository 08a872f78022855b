import * as z from "zod";
import { AccountBalance } from "../../customer/schema.ts";
import { named } from "../../http/answer-schema.ts";
import { ShortText } from "../../values/text.ts";

/** The query of a lookup (docs/contract/feed.md, 6). */
export const LookupQuery = z.object({ scan_id: ShortText.describe("What the card says.") });

/** A customer as a till sees them (docs/contract/feed.md, 6). */
export const CardHolder = named("CardHolder", {
  id: z.string().describe("The customer's id."),
  first_name: z.string().describe("First name."),
  last_name: z.string().describe("Last name."),
  balances: z.array(AccountBalance).describe("What the customer has with each account, by the account's name."),
});
export type CardHolder = z.output<typeof CardHolder>;
