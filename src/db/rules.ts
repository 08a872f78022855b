import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { blocks, customers, friendships } from "./tables.ts";

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
