import * as z from "zod";
import { named, success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { CampaignDetails } from "../../records/campaign.ts";
import { Account } from "../account.ts";
import { Address, CampaignColumns, StoreTexts } from "./schema.ts";

const SearchAccount = Account.omit({ core_tenant_id: true, core_app_account_id: true }).meta({
  id: "SearchAccount",
});

export const SearchStore = named("SearchStore", {
  id: z.string().describe("The store's id."),
  account_id: z.string().describe("The merchant account that it belongs to."),
  ...StoreTexts.shape,
  latitude: z.number().describe("Degrees north."),
  longitude: z.number().describe("Degrees east."),
  account: SearchAccount,
});
export type SearchStore = z.output<typeof SearchStore>;

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

export const SearchCampaign = CampaignDetails.extend({
  id: z.string().describe("The campaign's id."),
  account_id: z.int().describe("The merchant account, as a number."),
  ...CampaignColumns.shape,
  account: SearchAccount,
}).meta({ id: "SearchCampaign" });
export type SearchCampaign = z.output<typeof SearchCampaign>;

export const Forgiven = z.object({
  forgiven: z
    .array(z.string())
    .optional()
    .describe(
      "The words of the query, folded, that were forgiven a typo in a record shown here. Left out if there are none.",
    ),
  meant: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe(
      "For each of `forgiven`, at most five words of records shown here that it was taken for, most frequent first.",
    ),
});
export type Forgiven = z.output<typeof Forgiven>;

const Found = z.object({
  stores: z.array(SearchStore).describe("The stores that were found."),
  customers: z.array(SearchCustomer).describe("The customers that were found."),
});

export const SearchItems = named("FullSearchItems", {
  ...Found.shape,
  campaigns: z.array(SearchCampaign).describe("The campaigns that were found."),
});
export type SearchItems = z.output<typeof SearchItems>;

/** Variant A, and variant B for a filter without campaigns (docs/contract/interface.md, 4.6). */
const FullSearchAnswer = z.union([
  named("FullSearchAnswer", { ...success(SearchItems).shape, ...Forgiven.shape }),
  named("FullSearchAnswerWithoutCampaigns", { ...Found.shape, status: z.literal(true), ...Forgiven.shape }),
]);

export const fullSearch: Operation = {
  id: "fullSearch",
  summary: "Full search",
  description:
    "Finds the stores, customers and campaigns in which every word of the query begins some word: at most 20 of each " +
    "kind, those with the whole words first. Where every list would be empty, they are searched once more: a word of " +
    "five letters or more then stands for words one typo " +
    "away that begin with the same letter (a letter more, less or other, or two neighbours swapped); `forgiven` names it, and " +
    "`meant` says which words of the records it was taken for. " +
    "With a filter without campaigns, `stores` and `customers` are beside `status` instead of in `items`. The birth " +
    "date, card, address and balance of customers who are not friends are empty, and the operator decides whom a search finds: " +
    "everybody, friends, or only the caller.",
  answer: FullSearchAnswer,
  examples: [
    { summary: "Customers; the first two are shown", body: { query: "ada ito", filter: "customers" } },
    { summary: "A name with a typo", body: { query: "ada ficsher", filter: "customers" } },
  ],
};
