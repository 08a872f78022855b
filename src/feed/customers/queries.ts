import { sql } from "drizzle-orm";
import { BALANCE_COLUMNS, fromBalancesOf } from "../../customer/me/queries.ts";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { pick, select } from "../../db/select.ts";
import { customers } from "../../db/tables.ts";
import { visibleAccounts } from "../../db/views.ts";
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

const selectHolders = compileOnce("feed/customers/holders", (placeholder: PlaceholderOf<"scanId">) =>
  select(pick(customers, "key", "id", "first_name", "last_name"), fromHolders(placeholder)),
);

const selectBalances = compileOnce("feed/customers/balances", (placeholder: PlaceholderOf<"scanId">) =>
  select(
    { customer_key: sql<number>`holding.customer_key`, ...BALANCE_COLUMNS },
    sql`${fromBalancesOf(sql`(${select({ key: customers.key }, fromHolders(placeholder))})`)}
      GROUP BY holding.customer_key, ${visibleAccounts.key}
      ORDER BY holding.customer_key, ${visibleAccounts.company}, ${visibleAccounts.id} LIMIT ${sql.raw(String(BALANCES_LIMIT))}`,
  ),
);
