import * as z from "zod";
import { named, success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { SearchCustomer } from "../search/operations.ts";

export const AccountBalance = named("AccountBalance", {
  account_id: z.string().describe("The merchant account."),
  company: z.string().describe("The merchant's name."),
  balance: z.number().describe("The customer's balance at all stores of the account, with two decimals."),
  stores_count: z.int().describe("How many of the account's stores the customer has joined."),
});
export type AccountBalance = z.output<typeof AccountBalance>;

export const Me = SearchCustomer.extend({
  balances: z.array(AccountBalance).describe("The customer's balance at each account, by the account's name."),
}).meta({ id: "Me" });
export type Me = z.output<typeof Me>;

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
