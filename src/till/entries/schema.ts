import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { DecimalText, toHundredths } from "../../values/decimal.ts";
import { IdInBody, optionalText, undefinedIfEmpty, unlessNull } from "../../values/parameter.ts";
import { ShortText } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { Repeated, StoreIdInBody, WriteId } from "../schema.ts";

const ONLY_NEGATIVE = "is for a negative amount only";

/** What a till books (docs/contract/till.md, 2). Amounts are in hundredths. */
export const EntryBody = z
  .object({
    id: WriteId,
    customer_id: IdInBody.describe("The customer."),
    store_id: StoreIdInBody,
    amount: DecimalText.transform(toHundredths).describe("What is booked: a decimal; negative takes points away."),
    campaign_id: optionalText(IdInBody).describe("The campaign that it is booked for."),
    description: unlessNull(ShortText.default("")).describe("Why it is booked. The customer sees it."),
    created_at: z
      .preprocess(undefinedIfEmpty, FedTime.optional())
      .describe("When it happened, in UTC; left out: now. At most a day ahead."),
    minimum_balance: z
      .preprocess(undefinedIfEmpty, DecimalText.transform(toHundredths).optional())
      .describe(
        "With a negative amount: refuses if the balance at the store's account would be below it, usually `0.00`.",
      ),
  })
  .refine(({ amount, minimum_balance }) => minimum_balance === undefined || amount < 0, {
    path: ["minimum_balance"],
    error: ONLY_NEGATIVE,
    // Also where another field is bad, so that all bad fields are named at once.
    when: ({ value }) => typeof (value as { amount?: unknown }).amount === "number",
  });
export type EntryBody = z.output<typeof EntryBody>;

/** An entry as the feed would take it. */
const TillEntry = named("TillEntry", {
  id: z.string().describe("The entry's id."),
  customer_id: z.string().describe("The customer."),
  store_id: z.string().describe("The store at which it was booked."),
  amount: z.string().describe("What was booked: a decimal with two fraction digits."),
  campaign_id: z.string().nullable().describe("The campaign that it was booked for, or null."),
  description: z.string().describe("Why it was booked, or empty."),
  created_at: z.string().describe("When it was booked, in UTC."),
});
export type TillEntry = z.output<typeof TillEntry>;

export const Booking = named("Booking", {
  entry: TillEntry.describe("The entry, as the feed would take it."),
  balance: z.number().describe("The customer's balance at the store's account now, with two decimals."),
  repeated: Repeated,
});
export type Booking = z.output<typeof Booking>;
