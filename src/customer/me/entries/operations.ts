import * as z from "zod";
import type { Operation } from "../../../openapi/notes.ts";
import { named, success } from "../../../openapi/success.ts";

const Named = named("NamedRecord", {
  id: z.string().describe("The id of the store or campaign."),
  name: z.string().describe("The name of the store or campaign."),
});

export const BalanceEntry = named("BalanceEntry", {
  id: z.string().nullable().describe("The entry's id; null where `brought_forward` is true."),
  amount: z.number().describe("What was booked, with two decimals; negative where it was taken away."),
  description: z.string().describe("Why it was booked, or empty."),
  created_at: z
    .string()
    .describe("When it was booked, in UTC. For what was brought forward, the time of the newest booking."),
  store: Named.nullable().describe("The store at which it was booked; null where `brought_forward` is true."),
  account_id: z.string().describe("The merchant account."),
  campaign: Named.nullable().describe("The campaign that it was booked for, or null."),
  brought_forward: z.boolean().describe("Whether the item stands for all older entries at this account."),
});
export type BalanceEntry = z.output<typeof BalanceEntry>;

export const listEntries: Operation = {
  id: "entries",
  summary: "Entries",
  description:
    "Why the customer has the balance that `/me` shows: every entry, newest first. Entries that have left for history " +
    "come last, as one item for each account. So the amounts of an account add up to its balance. " +
    "Follow the header `Link` to the next page. If old entries leave meanwhile, `after` is refused: start again.",
  answer: success(z.array(BalanceEntry)),
  examples: [{ summary: "The two newest entries", query: { limit: "2" } }],
  failures: ["NotFound"],
};
