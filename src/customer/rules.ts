import { type SQL, sql } from "drizzle-orm";
import { blocks } from "../records/block.ts";
import { friendships } from "../records/friendship.ts";

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
