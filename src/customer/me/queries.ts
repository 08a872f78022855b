import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { limitTo, select } from "../../db/select.ts";
import { type JsonText, jsonObject, mergeObjects, toJson } from "../../http/json-text.ts";
import { storeBalances } from "../../records/balance-entry.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { joinedStores, visibleAccounts, visibleCustomers } from "../../records/views.ts";
import { SELECT_RECORDS, toCustomer } from "../search/records.ts";
import type { AccountBalance } from "./operations.ts";

export const BALANCES_LIMIT = 1_000;

/**
 * The customer as a search shows them to themselves, with all balances after the first `alreadyShown`
 * (docs/contract/interface.md, 4.8). Null: the customer is not stored, or erased. One round trip.
 */
export async function findMe(
  db: Database,
  { customerId, alreadyShown }: { customerId: string; alreadyShown: number },
): Promise<{ me: JsonText; hasMore: boolean } | null> {
  const [[customer], rows] = await db.batch([
    selectCustomer({ customerId }),
    selectBalances({ customerId, alreadyShown }),
  ]);
  if (customer === undefined) return null;
  const balances: AccountBalance[] = rows.slice(0, BALANCES_LIMIT);
  const me = mergeObjects(toCustomer(customer), jsonObject({ balances: toJson(balances) }));
  return { me, hasMore: rows.length > BALANCES_LIMIT };
}

const selectCustomer = compileOnce("me/customer", (placeholder: PlaceholderOf<"customerId">) => {
  // Reads the customer like the result of a search that found one record and forgave no typo.
  const found = sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT 0, ${visibleCustomers.key}, NULL FROM ${visibleCustomers}
    WHERE ${visibleCustomers.id} = ${placeholder("customerId")}
  )`;
  return SELECT_RECORDS.customers(found, placeholder("customerId"));
});

const selectBalances = compileOnce("me/balances", (placeholder: PlaceholderOf<"customerId" | "alreadyShown">) =>
  select(
    BALANCE_COLUMNS,
    sql`${fromBalancesOf(sql`(SELECT ${customerKeyOf(placeholder("customerId"))} AS key)`)}
      GROUP BY ${visibleAccounts.key} ORDER BY ${visibleAccounts.company}, ${visibleAccounts.id}
      ${limitTo(BALANCES_LIMIT + 1)} OFFSET ${placeholder("alreadyShown")}`,
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
