import * as z from "zod";
import { named, success } from "../../../http/answer-schema.ts";
import type { Operation } from "../../../openapi/notes.ts";

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

export const listEntries: Operation = {
  id: "entries",
  summary: "Entries",
  description:
    "Why the customer has the balance that `/me` shows: every entry, newest first. Entries that are no longer kept " +
    "come last, as one item for each account. So the amounts of an account add up to its balance. " +
    "Follow the header `Link` to the next page. If old entries are added up meanwhile, `after` is refused: start again.",
  answer: success(z.array(BalanceEntry)),
  examples: [{ summary: "The two newest entries", query: { limit: "2" } }],
  failures: ["NotFound"],
};
