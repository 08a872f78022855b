import { type SQL, sql } from "drizzle-orm";
import { accounts, memberships, stores } from "./tables.ts";

/**
 * Joins to a row the stores that a customer has joined: `memberships`, `stores` and `accounts`. A store that is set
 * aside, or whose account is, answers as if it were not there, so nobody has joined it (feed.md, section 2).
 */
export function joinStoresOf(customerId: SQL): SQL {
  return sql`
    CROSS JOIN ${memberships} ON ${memberships.customerId} = ${customerId} AND ${memberships.joined} = 1
    CROSS JOIN ${stores} ON ${stores.id} = ${memberships.storeId} AND ${stores.setAside} = 0
    CROSS JOIN ${accounts} ON ${accounts.id} = ${stores.accountId} AND ${accounts.setAside} = 0`;
}
