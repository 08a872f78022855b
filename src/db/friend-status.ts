import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { friendships } from "./tables.ts";

/** How a customer stands to the one whose id `other` is: 1 friends, 0 request pending, -1 neither (decisions.md, 4.2). */
export function friendStatus(customerId: string | Placeholder, other: SQL): SQL {
  return sql`coalesce((
    SELECT ${friendships.status} FROM ${friendships}
    WHERE ${friendships.lowId} = min(${customerId}, ${other}) AND ${friendships.highId} = max(${customerId}, ${other})
  ), -1)`;
}
