import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { accounts } from "../db/tables/accounts.ts";
import { memberships } from "../db/tables/memberships.ts";
import { stores } from "../db/tables/stores.ts";

// A store that is soft-deleted, or whose account is, answers as if it were not there (docs/contract/feed.md, 2).

/** Whether a row of `stores` is the store with this id. */
export function isStore(storeId: Placeholder): SQL {
  return sql`${stores.id} = ${storeId} AND ${stores.deleted} = 0 AND NOT ${isAccountDeleted(sql`${stores.account_key}`)}`;
}

/** Whether the store with this key is soft-deleted: one look into an index that holds none but those. */
export function isStoreDeleted(storeKey: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${stores} INDEXED BY stores_deleted WHERE ${stores.deleted} = 1 AND ${stores.key} = ${storeKey}
  )`;
}

/** Whether the account with this key is soft-deleted, in the same way. */
export function isAccountDeleted(accountKey: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${accounts} INDEXED BY accounts_deleted WHERE ${accounts.deleted} = 1 AND ${accounts.key} = ${accountKey}
  )`;
}

const own = alias(memberships, "own");
const ANY_STORE_DELETED = sql`EXISTS (SELECT 1 FROM ${stores} WHERE ${stores.deleted} = 1)`;
const ANY_ACCOUNT_DELETED = sql`EXISTS (SELECT 1 FROM ${accounts} WHERE ${accounts.deleted} = 1)`;

/**
 * How many stores a customer has joined. `storesCount`, the derived total, counts soft-deleted stores too, because a
 * soft deletion never writes an unbounded number of rows: they are subtracted here, which reads nothing more as long as
 * there are none.
 */
export function countStoresJoined({ customerKey, storesCount }: { customerKey: SQL; storesCount: SQL }): SQL<number> {
  return sql<number>`${storesCount} - iif(${ANY_STORE_DELETED} OR ${ANY_ACCOUNT_DELETED}, (
    SELECT count(*) FROM ${memberships} AS ${own}
    WHERE ${own.customer_key} = ${customerKey} AND ${own.joined} = 1 AND (
      ${isStoreDeleted(sql`${own.store_key}`)}
      OR ${ANY_ACCOUNT_DELETED} AND EXISTS (
        SELECT 1 FROM ${stores} WHERE ${stores.key} = ${own.store_key} AND ${isAccountDeleted(sql`${stores.account_key}`)}
      )
    )
  ), 0)`;
}

/** Joins to a row the stores that a customer has joined: `memberships` and `stores`. */
export function joinStoresOf(customerKey: SQL): SQL {
  return sql`
    CROSS JOIN ${memberships} ON ${memberships.customer_key} = ${customerKey} AND ${memberships.joined} = 1
    CROSS JOIN ${stores} ON ${stores.key} = ${memberships.store_key} AND ${stores.deleted} = 0
      AND NOT ${isAccountDeleted(sql`${stores.account_key}`)}`;
}
