import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database, type Value } from "../../db/database.ts";
import { customerKeyOf, joinStoresOf } from "../../db/rules.ts";
import { limitTo, select } from "../../db/select.ts";
import { accounts, customers, storeBalances, stores } from "../../db/tables.ts";
import { type JsonText, toJson, withMember } from "../../http/json-text.ts";
import { READ, toCustomer } from "../search/records.ts";
import type { AccountBalance } from "./operations.ts";

/** How many accounts an answer has. */
export const BALANCES_LIMIT = 1_000;

/**
 * The customer as a search shows them to themselves, with what they have with each account (docs/contract/interface.md,
 * 4.8) after the accounts that answers before have shown; null for one who is not stored or erased. One round trip.
 */
export async function findMe(
  db: Database,
  { customerId, shown }: { customerId: string; shown: number },
): Promise<{ me: JsonText; hasMore: boolean } | null> {
  const [[customer], rows] = await db.batch([CUSTOMER({ customerId }), BALANCES({ customerId, shown })]);
  if (customer === undefined) return null;
  const balances: AccountBalance[] = rows
    .slice(0, BALANCES_LIMIT)
    .map((row) => ({ ...row, balance: row.balance / 100 }));
  const me = withMember(toCustomer(customer), "balances", toJson(balances));
  return { me, hasMore: rows.length > BALANCES_LIMIT };
}

const CUSTOMER = compileOnce((value: Value<"customerId">) => {
  const found = sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT 0, ${customers.key}, NULL FROM ${customers}
    WHERE ${customers.id} = ${value("customerId")} AND ${customers.erased} = 0
  )`;
  return READ.customers(found, value("customerId"));
});

const BALANCES = compileOnce((value: Value<"customerId" | "shown">) =>
  select(
    BALANCE,
    sql`${fromBalancesOf(sql`(SELECT ${customerKeyOf(value("customerId"))} AS key)`)}
      GROUP BY ${accounts.key} ORDER BY ${accounts.company}, ${accounts.id}
      ${limitTo(BALANCES_LIMIT + 1)} OFFSET ${value("shown")}`,
  ),
);

/** What a customer has with an account, of rows of `fromBalancesOf`. */
export const BALANCE = {
  account_id: accounts.id,
  company: accounts.company,
  // `sum()` fails where the balances at many stores come to more than an integer holds.
  balance: sql<number>`total(had.balance)`,
  stores_count: sql<number>`sum(had.stores)`,
};

/** The balances and memberships of the customers in a relation with their `key`, each beside its account. */
export function fromBalancesOf(customers: SQL): SQL {
  const key = sql`caller.key`;
  // What was booked at a soft-deleted store still counts (docs/contract/feed.md, 2).
  return sql`FROM (
      SELECT ${key} AS customer_key, ${stores.account_key} AS account_key, ${storeBalances.balance} AS balance, 0 AS stores
      FROM ${customers} AS caller
      CROSS JOIN ${storeBalances} ON ${storeBalances.customer_key} = ${key}
      CROSS JOIN ${stores} ON ${stores.key} = ${storeBalances.store_key}
      UNION ALL SELECT ${key}, ${stores.account_key}, 0, 1 FROM ${customers} AS caller ${joinStoresOf(key)}
    ) AS had
    CROSS JOIN ${accounts} ON ${accounts.key} = had.account_key AND ${accounts.deleted} = 0`;
}
