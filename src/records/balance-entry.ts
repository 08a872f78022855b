import { and, isNotNull, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import {
  fed,
  fedHundredths,
  fedTime,
  key,
  keyOf,
  mayReferTo,
  owner,
  refersTo,
  storingRequest,
  subject,
} from "../db/columns.ts";
import { EventId, withSummaries } from "../db/derived/summaries.ts";
import { derivedTotal } from "../db/derived/totals.ts";
import type { Kind } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { isEvent } from "../db/select.ts";
import { Hundredths, TotalHundredths } from "../values/decimal.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id, ShortText } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { account } from "./account.ts";
import { campaign, campaignEarnings } from "./campaign.ts";
import { customer, customers } from "./customer.ts";
import { ofAnotherAccount, store } from "./store.ts";

/** An amount, perhaps negative, that was added to a customer's balance at a store. */
const record = event(
  "balance_entry",
  "balance_entries",
  {
    id: key(fed(text().primaryKey(), EventId)),
    /** NULL: the summary of a campaign. */
    customer_key: subject(mayReferTo(customer, { customer_id: Id })),
    store_key: owner(refersTo(store, { store_id: Id })),
    amount: fedHundredths(Hundredths),
    campaign_key: mayReferTo(campaign, { campaign_id: orNull(Id) }),
    /** Why it was booked. In a summary: the number of the step that last added to it. */
    description: fed(text().notNull(), withDefault(ShortText, "")),
    created_at: fedTime(orNull(FedTime)),
    request: storingRequest(),
  },
  { time: "created_at", hasLongRows: true, correction: "one with the opposite amount" },
);
export const balanceEntries = record.table;

/** Derived: a customer's balance at a store. */
export const storeBalances = sqliteTable(
  "store_balances",
  {
    store_key: keyOf(store).notNull(),
    customer_key: keyOf(customer).notNull(),
    /** In hundredths. */
    balance: integer().notNull(),
  },
  ({ store_key, customer_key }) => [primaryKey({ columns: [customer_key, store_key] })],
);

/** Derived: what a customer has at an account. Triggers follow balances and memberships. */
export const customerAccounts = sqliteTable(
  "customer_accounts",
  {
    customer_key: keyOf(customer).notNull(),
    account_key: keyOf(account).notNull(),
    /** In hundredths; NULL: the customer has no entry there. */
    balance: integer(),
    /** The stores joined, soft-deleted ones included. */
    stores_count: integer().notNull(),
  },
  ({ customer_key, account_key }) => [primaryKey({ columns: [customer_key, account_key] })],
);

// `filter` leaves out summaries of campaigns' earnings, which have no customer (docs/contract/retention.md, 2).
const BALANCES = {
  events: record,
  filter: isNotNull(balanceEntries.customer_key),
  measures: { balance: balanceEntries.amount },
} as const;

/** The sum of all balance entries of a customer, erased or not. */
export const customerBalances = derivedTotal({
  ...BALANCES,
  table: customers,
  storedAs: "columns",
  isUnlimited: true,
  keys: { key: balanceEntries.customer_key },
});

/** The sum of a customer's balance entries at a store. There is a row wherever there is an entry, even if the sum is 0. */
export const balancesAtStores = derivedTotal({
  ...BALANCES,
  table: storeBalances,
  storedAs: "rows",
  keys: { customer_key: balanceEntries.customer_key, store_key: balanceEntries.store_key },
});

/** What a campaign has earned at a store, which is its popularity there. Negative entries do not count. */
export const earningsOfCampaigns = derivedTotal({
  events: record,
  filter: and(isNotNull(balanceEntries.campaign_key), sql`${balanceEntries.amount} > 0`),
  table: campaignEarnings,
  storedAs: "rows",
  keys: { store_key: balanceEntries.store_key, campaign_key: balanceEntries.campaign_key },
  measures: { earned: balanceEntries.amount },
});

export const balanceEntry = {
  ...record,
  check: [ofAnotherAccount("campaign_id", "campaign_key", "a campaign", campaign)],
  write: { totals: [customerBalances, balancesAtStores, earningsOfCampaigns] },
  read: { fields: { description: { sql: sql`iif(${isEvent(balanceEntries)}, ${balanceEntries.description}, '')` } } },
  // A balance is the sum of the rows with a customer. The earnings of a campaign are the sum of the rows with a campaign. So
  // the first summary has no campaign, and the second has no customer.
  ...withSummaries(record, { customer_id: orNull(Id), amount: TotalHundredths }, [
    { by: ["customer_key", "store_key"], adds: ["amount"], stepColumn: "description" },
    {
      by: ["store_key", "campaign_key"],
      filter: "campaign_key IS NOT NULL AND amount > 0",
      adds: ["amount"],
      stepColumn: "description",
    },
  ]),
} satisfies Kind;
