import { eq, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo } from "../../db/select.ts";
import { type JsonText, jsonObject, mergeObjects, toJson } from "../../http/json-text.ts";
import { holdings, visibleCustomers } from "../../records/views.ts";
import { readBalances, readCustomers, toCustomer } from "../record.ts";
import type { AccountBalance } from "../schema.ts";

export const BALANCES_LIMIT = 1_000;

/**
 * The customer, with all balances after the first `alreadyShown` (docs/contract/interface.md, 4.8). Null: the customer is not
 * stored, or erased. One round trip.
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

const keyOf = (placeholder: PlaceholderOf<"customerId">) =>
  query
    .select({ key: visibleCustomers.key })
    .from(visibleCustomers)
    .where(eq(visibleCustomers.id, placeholder("customerId")));

const selectCustomer = compileOnce("me/customer", (placeholder: PlaceholderOf<"customerId">) =>
  readCustomers(sql`seen AS MATERIALIZED (SELECT ${keyOf(placeholder)} AS key, 1 AS is_self, -1 AS friend_status)`, {}),
);

const selectBalances = compileOnce("me/balances", (placeholder: PlaceholderOf<"customerId" | "alreadyShown">) =>
  readBalances(
    {},
    sql`${holdings.customer_key} = ${keyOf(placeholder)}`,
    sql`${limitTo(BALANCES_LIMIT + 1)} OFFSET ${placeholder("alreadyShown")}`,
  ),
);
