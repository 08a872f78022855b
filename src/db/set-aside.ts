import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accounts, customers, memberships, stores } from "./tables.ts";

// A store that is set aside, or whose account is, answers as if it were not there (feed.md, section 2).

/** Whether there is a store with this id. */
export function isStore(storeId: string | Placeholder): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${stores} JOIN ${accounts} ON ${accounts.id} = ${stores.accountId}
    WHERE ${stores.id} = ${storeId} AND ${stores.setAside} = 0 AND ${accounts.setAside} = 0
  )`;
}

/** Whether the store with this id is set aside: one look into an index that holds none but those. */
export function isStoreSetAside(storeId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM stores INDEXED BY stores_set_aside WHERE id = ${storeId} AND set_aside = 1)`;
}

/** Whether the account with this id is set aside, in the same way. */
export function isAccountSetAside(accountId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM accounts INDEXED BY accounts_set_aside WHERE id = ${accountId} AND set_aside = 1)`;
}

const ANY_STORE_SET_ASIDE = sql.raw("EXISTS (SELECT 1 FROM stores WHERE set_aside = 1)");
const ANY_ACCOUNT_SET_ASIDE = sql.raw("EXISTS (SELECT 1 FROM accounts WHERE set_aside = 1)");

/**
 * How many stores a row of `customers` has joined. The kept total counts those that are set aside too, because nothing
 * unbounded is written when one is: they are taken off here, which reads nothing more as long as there are none.
 */
export const STORES_JOINED = sql`${customers.storesCount} - iif(${ANY_STORE_SET_ASIDE} OR ${ANY_ACCOUNT_SET_ASIDE}, (
  SELECT count(*) FROM ${memberships} AS own
  WHERE own.customer_id = ${customers.id} AND own.joined = 1 AND (
    ${isStoreSetAside(sql`own.store_id`)}
    OR ${ANY_ACCOUNT_SET_ASIDE} AND EXISTS (
      SELECT 1 FROM ${stores} WHERE ${stores.id} = own.store_id AND ${isAccountSetAside(sql`${stores.accountId}`)}
    )
  )
), 0)`;

/** Joins to a row the stores that a customer has joined: `memberships` and `stores`. */
export function joinStoresOf(customerId: SQL): SQL {
  return sql`
    CROSS JOIN ${memberships} ON ${memberships.customerId} = ${customerId} AND ${memberships.joined} = 1
    CROSS JOIN ${stores} ON ${stores.id} = ${memberships.storeId} AND ${stores.setAside} = 0
      AND NOT ${isAccountSetAside(sql`${stores.accountId}`)}`;
}
