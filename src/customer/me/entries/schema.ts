import * as z from "zod";
import { named } from "../../../http/answer-schema.ts";
import { placeParameter } from "../../../http/paging.ts";
import { integerParameter } from "../../../values/number.ts";
import { AccountId } from "../../../values/text.ts";
import { isDatetime } from "../../../values/time.ts";

/** A place in the list of one customer and one filter. */
const place = {
  customer: z.string(),
  account: z.string(),
  /** The number of the step that last added up entries of the customer. If it has changed, items would count twice. */
  step: z.int(),
  /** The time and the id of an entry. The time is empty once all entries were read. Then `id` is an account. */
  time: z.string().refine((time) => time === "" || isDatetime(time)),
  id: z.string(),
};

export const EntriesQuery = z.object({
  limit: integerParameter({ min: 1, max: 100 }).default(50).describe("The most items of a page."),
  account_id: AccountId.optional().describe("Only entries at this account."),
  after: placeParameter(place),
});

const Named = named("NamedRecord", {
  id: z.string().describe("The id of the store or campaign."),
  name: z.string().describe("The name of the store or campaign."),
});

const BookedEntry = named("BookedEntry", {
  id: z.string().describe("The entry's id."),
  amount: z.number().describe("What was booked, with two decimals; negative where it was taken away."),
  description: z.string().describe("Why it was booked, or empty."),
  created_at: z.string().describe("When it was booked, in UTC."),
  store: Named.describe("The store at which it was booked."),
  account_id: z.string().describe("The merchant account."),
  campaign: Named.nullable().describe("The campaign that it was booked for, or null."),
  brought_forward: z.literal(false).describe("This is a booking."),
});

const BroughtForward = named("BroughtForward", {
  id: z.null().describe("It has no id."),
  amount: z.number().describe("The sum of the entries that have left, with two decimals."),
  description: z.literal("").describe("Always empty."),
  created_at: z.string().describe("When the newest of them was booked, in UTC."),
  store: z.null().describe("It stands for all stores of the account."),
  account_id: z.string().describe("The merchant account."),
  campaign: z.null().describe("It stands for all campaigns."),
  brought_forward: z.literal(true).describe("The item stands for all older entries at this account."),
});

export const BalanceEntry = z.union([BookedEntry, BroughtForward]).meta({ id: "BalanceEntry" });
export type BalanceEntry = z.output<typeof BalanceEntry>;
