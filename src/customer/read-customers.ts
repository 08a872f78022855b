import { type SQL, sql } from "drizzle-orm";
import type { Selection } from "../db/query.ts";
import { jsonOf, pick, select, selectWith } from "../db/select.ts";
import { type JsonText, mergeObjects, storedJson, toJson } from "../http/json-text.ts";
import { campaignsOfCustomers, holdings, visibleAccounts, visibleCustomers } from "../records/views.ts";
import { Address } from "./schema.ts";

// A customer's record, and their balances by account: for `/me`, a search and a look-up by card.

/** The fields that a customer shows to friends only. */
const PERSONAL = pick(visibleCustomers, "scan_id", "date_of_birth", ...Address.keyof().options);

/**
 * Reads the records of customers. `seen` is for a `WITH` clause. It ends with `seen(key, is_self, friend_status)`: who is read,
 * and what they are to the caller.
 * @param more other fields.
 */
export function readCustomers<F extends Selection>(seen: SQL, more: F, order = sql``) {
  const isOpen = sql`seen.is_self OR seen.friend_status = 1`;
  const personal = Object.entries(PERSONAL).map(([name, column]) => {
    const hidden = column.notNull ? sql`''` : sql`NULL`;
    return [name, sql`iif(${isOpen}, ${column}, ${hidden})`];
  });
  const fields = {
    record: jsonOf({
      ...pick(visibleCustomers, "id", "first_name", "last_name", "customer_description", "avatar"),
      ...Object.fromEntries(personal),
      friend_status: sql`seen.friend_status`,
      stores_count: visibleCustomers.stores_joined,
      ...pick(campaignsOfCustomers, "campaigns_total", "campaigns_registered"),
    }),
    // Kept out of the JSON `record`, in which SQLite writes numbers with fewer digits than a balance may have.
    balance: sql<number>`iif(${isOpen}, ${visibleCustomers.balance} / 100.0, 0)`,
    ...more,
  };
  const rows = sql`
    FROM seen
    CROSS JOIN ${visibleCustomers} ON ${visibleCustomers.key} = seen.key
    CROSS JOIN ${campaignsOfCustomers} ON ${campaignsOfCustomers.key} = seen.key
    ${order}`;
  return selectWith(seen, fields, rows);
}

export function toCustomer({ record, balance }: { record: string; balance: number }): JsonText {
  return mergeObjects(storedJson(record), toJson({ balance }));
}

/**
 * Reads the balances of customers at each account, by customer, then by the account's name.
 * @param more other fields.
 * @param where which `holdings`.
 */
export function readBalances<F extends Selection>(more: F, where: SQL, limit: SQL) {
  const fields = {
    ...more,
    account_id: visibleAccounts.id,
    company: visibleAccounts.company,
    balance: sql<number>`coalesce(${holdings.balance}, 0) / 100.0`,
    stores_count: holdings.stores_joined,
  };
  const rows = sql`
    FROM ${holdings} CROSS JOIN ${visibleAccounts} ON ${visibleAccounts.key} = ${holdings.account_key}
    WHERE ${where} AND (${holdings.balance} IS NOT NULL OR ${holdings.stores_joined} > 0)
    ORDER BY ${holdings.customer_key}, ${visibleAccounts.company}, ${visibleAccounts.id} ${limit}`;
  return select(fields, rows);
}
