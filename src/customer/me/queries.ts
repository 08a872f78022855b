import { sql } from "drizzle-orm";
import { compileOnce, type Database, type Value } from "../../db/database.ts";
import { select } from "../../db/select.ts";
import { accounts } from "../../db/tables/accounts.ts";
import { storeBalances } from "../../db/tables/balances.ts";
import { customers } from "../../db/tables/customers.ts";
import { stores } from "../../db/tables/stores.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { joinStoresOf } from "../../domain/stores.ts";
import { type JsonText, toJson, withMember } from "../../http/json-text.ts";
import { READ, toCustomer } from "../search/records.ts";
import type { AccountBalance } from "./schema.ts";

/**
 * The customer as a search shows them to themselves, with what they have with each account (docs/contract/interface.md,
 * 4.8); null for one who is not stored or erased. One round trip.
 */
export async function findMe(db: Database, { customerId }: { customerId: string }): Promise<JsonText | null> {
  const [[customer], rows] = await db.batch([CUSTOMER({ customerId }), BALANCES({ customerId })]);
  if (customer === undefined) return null;
  const balances: AccountBalance[] = rows.map((row) => ({ ...row, balance: row.balance / 100 }));
  return withMember(toCustomer(customer), "balances", toJson(balances));
}

const CUSTOMER = compileOnce((value: Value<"customerId">) => {
  const found = sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT 0, ${customers.key}, NULL FROM ${customers}
    WHERE ${customers.id} = ${value("customerId")} AND ${customers.erased} = 0
  )`;
  return READ.customers(found, value("customerId"));
});

const BALANCES = compileOnce((value: Value<"customerId">) => {
  const key = sql`caller.key`;
  const caller = sql`(SELECT ${customerKeyOf(value("customerId"))} AS key) AS caller`;
  return select(
    {
      account_id: accounts.id,
      company: accounts.company,
      // `sum()` fails where the balances at many stores come to more than an integer holds.
      balance: sql<number>`total(had.balance)`,
      stores_count: sql<number>`sum(had.stores)`,
    },
    // What was booked at a soft-deleted store still counts (docs/contract/feed.md, 2).
    sql`FROM (
      SELECT ${stores.accountKey} AS account_key, ${storeBalances.balance} AS balance, 0 AS stores
      FROM ${caller}
      CROSS JOIN ${storeBalances} ON ${storeBalances.customerKey} = ${key}
      CROSS JOIN ${stores} ON ${stores.key} = ${storeBalances.storeKey}
      UNION ALL SELECT ${stores.accountKey}, 0, 1 FROM ${caller} ${joinStoresOf(key)}
    ) AS had
    CROSS JOIN ${accounts} ON ${accounts.key} = had.account_key AND ${accounts.deleted} = 0
    GROUP BY ${accounts.key} ORDER BY ${accounts.company}, ${accounts.id}`,
  );
});
