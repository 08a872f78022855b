import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { NOW } from "./select.ts";
import type { eipCampaigns } from "./tables.ts";
import { accounts, blocks, campaigns, customers, friendships, memberships, stores } from "./tables.ts";

/** The key of the customer with this id; NULL if the customer is not stored. */
export function customerKeyOf(customerId: Placeholder): SQL {
  return sql`(SELECT ${customers.key} FROM ${customers} WHERE ${customers.id} = ${customerId})`;
}

/** The friend status of two customers: 1 friends, 0 request pending, -1 neither (docs/contract/interface.md, 4.2). */
export function friendStatus(customerKey: SQL, otherKey: SQL): SQL<1 | 0 | -1> {
  return sql<1 | 0 | -1>`coalesce((
    SELECT ${friendships.status} FROM ${friendships}
    WHERE ${friendships.low_key} = min(${customerKey}, ${otherKey})
      AND ${friendships.high_key} = max(${customerKey}, ${otherKey})
  ), -1)`;
}

export function hasBlocked(customerKey: SQL, blockedKey: SQL): SQL<0 | 1> {
  return sql<0 | 1>`EXISTS (
    SELECT 1 FROM ${blocks} WHERE ${blocks.customer_key} = ${customerKey} AND ${blocks.blocked_key} = ${blockedKey}
  )`;
}

/** Whether today is a day of the campaign, in its time zone. */
export function isWithinDates({ starts_at, ends_at }: typeof campaigns | typeof eipCampaigns): SQL {
  return sql`${starts_at} <= ${NOW} AND ${ends_at} >= ${NOW}`;
}

export const IS_RUNNING = sql`${campaigns.deleted} = 0 AND ${campaigns.status} = 1 AND ${isWithinDates(campaigns)}`;

// A store that is soft-deleted, or belongs to a soft-deleted account, answers as if it were not there
// (docs/contract/feed.md, 2).

/** Whether the store with this key is soft-deleted: one look into the small index of soft-deleted stores. */
export function isStoreDeleted(storeKey: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${stores} INDEXED BY stores_deleted WHERE ${stores.deleted} = 1 AND ${stores.key} = ${storeKey}
  )`;
}

export function isAccountDeleted(accountKey: SQL): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${accounts} INDEXED BY accounts_deleted WHERE ${accounts.deleted} = 1 AND ${accounts.key} = ${accountKey}
  )`;
}

const joinedStore = alias(memberships, "joined_store");
const ANY_STORE_DELETED = sql`EXISTS (SELECT 1 FROM ${stores} WHERE ${stores.deleted} = 1)`;
const ANY_ACCOUNT_DELETED = sql`EXISTS (SELECT 1 FROM ${accounts} WHERE ${accounts.deleted} = 1)`;

/**
 * How many stores a row of `customers` has joined. `stores_count` also counts soft-deleted stores, because a soft deletion
 * never writes an unbounded number of rows. They are subtracted here, which is free while nothing is deleted.
 */
export const STORES_JOINED = sql<number>`${customers.stores_count} - iif(${ANY_STORE_DELETED} OR ${ANY_ACCOUNT_DELETED}, (
  SELECT count(*) FROM ${memberships} AS ${joinedStore}
  WHERE ${joinedStore.customer_key} = ${customers.key} AND ${joinedStore.joined} = 1 AND (
    ${isStoreDeleted(sql`${joinedStore.store_key}`)}
    OR ${ANY_ACCOUNT_DELETED} AND EXISTS (
      SELECT 1 FROM ${stores} WHERE ${stores.key} = ${joinedStore.store_key} AND ${isAccountDeleted(sql`${stores.account_key}`)}
    )
  )
), 0)`;

/** Joins the stores that a customer has joined, as `memberships` and `stores`. */
export function joinStoresOf(customerKey: SQL): SQL {
  return sql`
    CROSS JOIN ${memberships} ON ${memberships.customer_key} = ${customerKey} AND ${memberships.joined} = 1
    CROSS JOIN ${stores} ON ${stores.key} = ${memberships.store_key} AND ${stores.deleted} = 0
      AND NOT ${isAccountDeleted(sql`${stores.account_key}`)}`;
}
