import { and, eq, sql } from "drizzle-orm";
import { BALANCE_COLUMNS, fromBalancesOf } from "../../customer/me/queries.ts";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { atMost, query } from "../../db/query.ts";
import { limitTo, pick, select } from "../../db/select.ts";
import { customers } from "../../records/customer.ts";
import { visibleAccounts } from "../../records/views.ts";
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

const isHolder = (placeholder: PlaceholderOf<"scanId">) =>
  // SQLite uses the index of cards only if the statement has its condition. So the empty text is no parameter.
  and(eq(customers.scan_id, placeholder("scanId")), sql`${customers.scan_id} <> ''`);

const selectHolders = compileOnce("feed/customers/holders", (placeholder: PlaceholderOf<"scanId">) =>
  query
    .select(pick(customers, "key", "id", "first_name", "last_name"))
    .from(customers)
    .where(isHolder(placeholder))
    .orderBy(customers.id)
    .limit(atMost(HOLDERS_LIMIT)),
);

const selectBalances = compileOnce("feed/customers/balances", (placeholder: PlaceholderOf<"scanId">) => {
  const holders = query
    .select({ key: customers.key })
    .from(customers)
    .where(isHolder(placeholder))
    .orderBy(customers.id)
    .limit(atMost(HOLDERS_LIMIT));
  return select(
    { customer_key: sql<number>`holding.customer_key`, ...BALANCE_COLUMNS },
    sql`${fromBalancesOf(sql`${holders}`)}
      GROUP BY holding.customer_key, ${visibleAccounts.key}
      ORDER BY holding.customer_key, ${visibleAccounts.company}, ${visibleAccounts.id} ${limitTo(BALANCES_LIMIT)}`,
  );
});
