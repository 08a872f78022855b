import type { Operation } from "../../openapi/notes.ts";
import { FullSearchAnswer } from "./schema.ts";

export const fullSearch: Operation = {
  id: "fullSearch",
  summary: "Full search",
  description:
    "Finds the stores, customers and campaigns in which every word of the query begins some word: at most 20 of each " +
    "kind, those with the whole words first. Where every list would be empty, they are searched once more: a word of " +
    "five letters or more then stands for words one typo " +
    "away that begin with the same letter (a letter more, less or other, or two neighbours swapped); `forgiven` names it, and " +
    "`meant` says which words of the records it was taken for. Where there are too many records with common words to look " +
    "at all of them, `incomplete` says so. " +
    "With a filter without campaigns, `stores` and `customers` are beside `status` instead of in `items`. The birth " +
    "date, card, address and balance of customers who are not friends are empty, and the operator decides whom a search finds: " +
    "everybody, friends, or only the caller.",
  answer: FullSearchAnswer,
  examples: [
    { summary: "Customers; the first two are shown", body: { query: "ada ito", filter: "customers" } },
    { summary: "A name with a typo", body: { query: "ada ficsher", filter: "customers" } },
  ],
};
