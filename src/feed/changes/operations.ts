import type { Operation } from "../../openapi/notes.ts";
import { Change } from "./schema.ts";

export const listChanges: Operation = {
  id: "changes",
  summary: "Changes",
  description:
    "What tills and customers wrote, as lines that the feed takes, in their order: at most 2,000 a page. `Link` always has the " +
    "cursor of the next page. So a system of record has every change once, or is told by 410 to start again with an export.",
  answer: Change,
  answerForm: "lines",
  examples: [
    {
      summary: "All changes that are kept",
      query: { after: "first" },
      answer: {
        version: 812,
        at: "2026-11-28 09:00:00",
        source: "till",
        subject: "till-3",
        line: { record: "balance_entry", id: "till-3-0815", customer_id: "c1", store_id: "s1", amount: "5.00" },
      },
    },
  ],
  failures: ["StartAgain"],
};
