import { NEXT_LINK_NOTE } from "../../http/paging.ts";
import type { Operation } from "../../openapi/notes.ts";
import { success } from "../../openapi/success.ts";
import { Me } from "./answer-schema.ts";

export const readMe: Operation = {
  id: "me",
  tag: "Customer",
  summary: "Me",
  description:
    "The customer who calls, as a search shows them to themselves, and in `balances` what they have with each account at " +
    "whose stores they have joined or have an entry, by the account's name. An app asks for this when the WebSocket says " +
    "that a balance changed.",
  answer: success(Me),
  examples: [{ summary: "Somebody with one account" }],
  failures: ["NotFound"],
  headers: { Link: NEXT_LINK_NOTE },
};
