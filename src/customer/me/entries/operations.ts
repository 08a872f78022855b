import * as z from "zod";
import { success } from "../../../http/answer-schema.ts";
import type { Operation } from "../../../openapi/notes.ts";
import { BalanceEntry } from "./schema.ts";

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
