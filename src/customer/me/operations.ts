import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Me } from "./schema.ts";

export const readMe: Operation = {
  id: "me",
  summary: "Me",
  description:
    "The customer who calls, as a search shows them to themselves. `balances` has each account with a store that the " +
    "customer has joined or has an entry at, by the account's name. An app asks for this when the WebSocket says that a " +
    "balance changed.",
  answer: success(Me),
  examples: [{ summary: "Somebody with one account" }],
  failures: ["NotFound"],
};
