import * as z from "zod";
import { named } from "../http/answer-schema.ts";

export const Address = z.object({
  address_line_1: z.string().describe("Street and number."),
  address_line_2: z.string().describe("More of the address."),
  city: z.string().describe("City."),
  state: z.string().describe("State or province."),
  zip: z.string().describe("Postal code."),
});

/** A customer as a search and `/me` show them. */
export const SearchCustomer = named("SearchCustomer", {
  id: z.string().describe("The customer's id."),
  scan_id: z.string().describe("The number on the card; empty for strangers, as is the address."),
  first_name: z.string().describe("First name."),
  last_name: z.string().describe("Last name."),
  date_of_birth: z.string().nullable().describe("The day of birth; null for strangers."),
  ...Address.shape,
  customer_description: z.string().describe("The customer's own description."),
  stores_count: z.int().describe("Stores joined."),
  friend_status: z.literal([-1, 0, 1]).describe("1 friends, 0 request pending, -1 neither, and -1 to oneself."),
  balance: z.number().describe("The balance over all stores, with two decimals; 0 for strangers."),
  avatar: z.string().describe("The address of a picture, or empty."),
  campaigns_total: z.int().describe("Campaigns that run today at the chains whose stores the customer has joined."),
  campaigns_registered: z.int().describe("Of those, the ones that the customer has registered for."),
});
export type SearchCustomer = z.output<typeof SearchCustomer>;

export const AccountBalance = named("AccountBalance", {
  account_id: z.string().describe("The merchant account."),
  company: z.string().describe("The merchant's name."),
  balance: z.number().describe("The customer's balance at all stores of the account, with two decimals."),
  stores_count: z.int().describe("How many of the account's stores the customer has joined."),
});
export type AccountBalance = z.output<typeof AccountBalance>;
