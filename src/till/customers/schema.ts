import * as z from "zod";
import { AccountBalance } from "../../customer/schema.ts";
import { named } from "../../http/answer-schema.ts";
import { ShortText } from "../../values/text.ts";

/** In the body, because addresses are logged (docs/contract/till.md, 2). */
export const FindBody = z.object({
  scan_id: ShortText.refine((text) => text !== "", "must not be empty").describe("What the card says."),
});

/** A customer as a till sees them (docs/contract/till.md, 2). */
export const CardHolder = named("CardHolder", {
  id: z.string().describe("The customer's id."),
  first_name: z.string().describe("First name."),
  last_name: z.string().describe("Last name."),
  balances: z.array(AccountBalance).describe("What the customer has with each account, by the account's name."),
});
export type CardHolder = z.output<typeof CardHolder>;
