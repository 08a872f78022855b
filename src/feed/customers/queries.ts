import { sql } from "drizzle-orm";
import { BALANCE_COLUMNS, fromBalancesOf } from "../../customer/me/queries.ts";
import { compileOnce, type Database, type PlaceholderOf } from "../../db/database.ts";
import { pick, select } from "../../db/select.ts";
import { accounts, customers } from "../../db/tables.ts";
import type { CardHolder } from "./operations.ts";

/** A card should have one holder. If many customers have it, these limits keep the answer small. */
const HOLDERS_LIMIT = 100;
const BALANCES_LIMIT = 5_000;

/** The customers with this card, by id, with their balances (docs/contract/feed.md, 6). One round trip. */
export async function findByCard(db: Database, { scanId }: { scanId: string }): Promise<CardHolder[]> {
  const [holders, balances] = await db.batch([selectHolders({ scanId }), selectBalances({ scanId })]);
  const byHolder = Map.groupBy(balances, ({ customer_key }) => customer_key);
  return holders.map(({ key, ...holder }) => ({
    ...holder,
    balances: byHolder.get(key)?.map(({ customer_key: _, ...balance }) => balance) ?? [],
  }));
}

// SQLite uses the index of cards only for a query with its condition, `scan_id <> ''`.
const fromHolders = (placeholder: PlaceholderOf<"scanId">) => sql`
  FROM ${customers} WHERE ${customers.scan_id} = ${placeholder("scanId")} AND ${customers.scan_id} <> ''
  ORDER BY ${customers.id} LIMIT ${sql.raw(String(HOLDERS_LIMIT))}`;

const selectHolders = compileOnce((placeholder: PlaceholderOf<"scanId">) =>
  select(pick(customers, "key", "id", "first_name", "last_name"), fromHolders(placeholder)),
);

const selectBalances = compileOnce((placeholder: PlaceholderOf<"scanId">) =>
  select(
    { customer_key: sql<number>`holding.customer_key`, ...BALANCE_COLUMNS },
    sql`${fromBalancesOf(sql`(${select({ key: customers.key }, fromHolders(placeholder))})`)}
      GROUP BY holding.customer_key, ${accounts.key}
      ORDER BY holding.customer_key, ${accounts.company}, ${accounts.id} LIMIT ${sql.raw(String(BALANCES_LIMIT))}`,
  ),
);
