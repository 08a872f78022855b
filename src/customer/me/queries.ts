import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { isAfter } from "../../db/cut.ts";
import type { Database } from "../../db/database.ts";
import { limitTo, select } from "../../db/select.ts";
import type { JsonText } from "../../http/json-text.ts";
import type { Page } from "../../http/paging.ts";
import { storeBalances } from "../../records/balance-entry.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { joinedStores, visibleAccounts, visibleCustomers } from "../../records/views.ts";
import { SELECT_RECORDS, toCustomer } from "../search/records.ts";
import type { AccountBalance } from "./operations.ts";

/** A place before all balances. */
export const BEGINNING = { company: "", account_id: "" };

/**
 * The customer as a search shows them to themselves, and a page of their balances (docs/contract/interface.md, 4.8). Null: the
 * customer is not stored, or erased. One round trip.
 */
export async function findMe(
  db: Database,
  { customerId, page: { limit, after } }: { customerId: string; page: Page<typeof BEGINNING> },
): Promise<{ customer: JsonText; balances: AccountBalance[] } | null> {
  const [[customer], balances] = await db.batch([
    selectCustomer({ customerId }),
    selectBalances({ customerId, limit, ...after }),
  ]);
  return customer === undefined ? null : { customer: toCustomer(customer), balances };
}

const selectCustomer = compileOnce("me/customer", (placeholder: PlaceholderOf<"customerId">) => {
  // Reads the customer like the result of a search that found one record and forgave no typo.
  const found = sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT 0, ${visibleCustomers.key}, NULL FROM ${visibleCustomers}
    WHERE ${visibleCustomers.id} = ${placeholder("customerId")}
  )`;
  return SELECT_RECORDS.customers(found, placeholder("customerId"));
});

type Placeholders = PlaceholderOf<"customerId" | "limit" | keyof typeof BEGINNING>;

const selectBalances = compileOnce("me/balances", (placeholder: Placeholders) =>
  select(
    BALANCE_COLUMNS,
    sql`${fromBalancesOf(sql`(SELECT ${customerKeyOf(placeholder("customerId"))} AS key)`)}
      WHERE ${isAfter([
        { column: visibleAccounts.company, after: placeholder("company") },
        { column: visibleAccounts.id, after: placeholder("account_id") },
      ])}
      GROUP BY ${visibleAccounts.key} ORDER BY ${visibleAccounts.company}, ${visibleAccounts.id}
      ${limitTo(sql`1 + ${placeholder("limit")}`)}`,
  ),
);

/** The columns to select from `fromBalancesOf`. */
export const BALANCE_COLUMNS = {
  account_id: visibleAccounts.id,
  company: visibleAccounts.company,
  // Uses `total()`, because `sum()` fails if the balances at many stores exceed an integer.
  balance: sql<number>`total(holding.balance) / 100`,
  stores_count: sql<number>`sum(holding.stores)`,
};

/** The balances and memberships of customers, joined to the accounts. `keysQuery` gives the `key` of each customer. */
export function fromBalancesOf(keysQuery: SQL): SQL {
  const key = sql`holder.key`;
  // Entries at a soft-deleted store still count (docs/contract/feed.md, 2).
  return sql`FROM (
      SELECT ${key} AS customer_key, ${stores.account_key} AS account_key, ${storeBalances.balance} AS balance, 0 AS stores
      FROM ${keysQuery} AS holder
      CROSS JOIN ${storeBalances} ON ${storeBalances.customer_key} = ${key}
      CROSS JOIN ${stores} ON ${stores.key} = ${storeBalances.store_key}
      UNION ALL
      SELECT ${key}, ${joinedStores.account_key}, 0, 1 FROM ${keysQuery} AS holder
      CROSS JOIN ${joinedStores} ON ${joinedStores.customer_key} = ${key}
    ) AS holding
    CROSS JOIN ${visibleAccounts} ON ${visibleAccounts.key} = holding.account_key`;
}
