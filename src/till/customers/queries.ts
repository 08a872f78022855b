import { and, eq, sql } from "drizzle-orm";
import { readBalances } from "../../customer/read-customers.ts";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { atMost, query } from "../../db/query.ts";
import { limitTo, pick } from "../../db/select.ts";
import { holdings, visibleCustomers } from "../../records/views.ts";
import { isCovered } from "../queries.ts";
import type { CardHolder } from "./schema.ts";

/** A card should have one holder. More holders, or more balances of all together, are not the card of one customer. */
const MOST_HOLDERS = 20;
/** With the longest names of accounts, the answer still has at most 2 MiB. */
const MOST_BALANCES = 1_500;

/**
 * The customers with this card, by id, with their balances at these accounts, which are JSON or null for all; null if there
 * are too many customers (docs/contract/till.md, 2). One round trip.
 */
export async function findByCard(
  db: Database,
  values: { scanId: string; accounts: string | null },
): Promise<CardHolder[] | null> {
  const [holders, balances] = await db.batch([selectHolders(values), selectBalances(values)]);
  if (holders.length > MOST_HOLDERS || balances.length > MOST_BALANCES) return null;
  const byHolder = Map.groupBy(balances, ({ customer_key }) => customer_key);
  return holders.map(({ key, ...holder }) => ({
    ...holder,
    balances: byHolder.get(key)?.map(({ customer_key: _, ...balance }) => balance) ?? [],
  }));
}

const holders = (placeholder: PlaceholderOf<"scanId">) =>
  query
    .select(pick(visibleCustomers, "key", "id", "first_name", "last_name"))
    .from(visibleCustomers)
    // SQLite uses the index of cards only if the statement has its condition. So the empty text is no parameter.
    .where(and(eq(visibleCustomers.scan_id, placeholder("scanId")), sql`${visibleCustomers.scan_id} <> ''`))
    .orderBy(visibleCustomers.id)
    .limit(atMost(MOST_HOLDERS + 1));

const selectHolders = compileOnce("till/customers/holders", holders);

const selectBalances = compileOnce("till/customers/balances", (placeholder: PlaceholderOf<"scanId" | "accounts">) =>
  readBalances(
    { customer_key: holdings.customer_key },
    sql`${holdings.customer_key} IN (SELECT key FROM (${holders(placeholder)}))
      AND ${isCovered(holdings.account_key, placeholder("accounts"))}`,
    limitTo(MOST_BALANCES + 1),
  ),
);
