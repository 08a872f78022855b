import * as z from "zod";
import { SearchCustomer } from "../search/answer-schema.ts";

/** What a customer has with one account (docs/contract/interface.md, 4.8). */
export const AccountBalance = z
  .object({
    account_id: z.string().describe("The merchant account."),
    company: z.string().describe("The merchant's name."),
    balance: z.number().describe("The customer's balance at all stores of the account, with two decimals."),
    stores_count: z.int().describe("How many of the account's stores the customer has joined."),
  })
  .meta({ id: "AccountBalance" });
export type AccountBalance = z.output<typeof AccountBalance>;

/** The caller (docs/contract/interface.md, 4.8). */
export const Me = SearchCustomer.extend({
  balances: z.array(AccountBalance).describe("What the customer has with each account, by the account's name."),
}).meta({ id: "Me" });
export type Me = z.output<typeof Me>;
