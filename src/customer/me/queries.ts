import { eq, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { isAfter } from "../../db/cut.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo } from "../../db/select.ts";
import type { JsonText } from "../../http/json-text.ts";
import type { Page } from "../../http/paging.ts";
import { holdings, visibleAccounts, visibleCustomers } from "../../records/views.ts";
import { readBalances, readCustomers, toCustomer } from "../read-customers.ts";
import type { AccountBalance } from "../schema.ts";

/** A place before all balances. */
export const BEGINNING = { company: "", account_id: "" };

/**
 * The customer, and a page of their balances (docs/contract/interface.md, 4.8). Null: the customer is not stored, or erased.
 * One round trip.
 */
export async function findMe(
  db: Database,
  { customerId, page: { limit, after } }: { customerId: string; page: Page<typeof BEGINNING> },
): Promise<{ customer: JsonText; balances: AccountBalance[] } | null> {
  const [[customer], balances] = await db.batch([
    selectCustomer({ customerId }),
    selectBalances({ customerId, limit, ...after }),
  ]);
  return customer === undefined ? null : { customer: toCustomer(customer), balances };
}

const keyOf = (placeholder: PlaceholderOf<"customerId">) =>
  query
    .select({ key: visibleCustomers.key })
    .from(visibleCustomers)
    .where(eq(visibleCustomers.id, placeholder("customerId")));

const selectCustomer = compileOnce("me/customer", (placeholder: PlaceholderOf<"customerId">) =>
  readCustomers(sql`seen AS MATERIALIZED (SELECT ${keyOf(placeholder)} AS key, 1 AS is_self, -1 AS friend_status)`, {}),
);

type Placeholders = PlaceholderOf<"customerId" | "limit" | keyof typeof BEGINNING>;

const selectBalances = compileOnce("me/balances", (placeholder: Placeholders) => {
  const isOnPage = isAfter([
    { column: visibleAccounts.company, after: placeholder("company") },
    { column: visibleAccounts.id, after: placeholder("account_id") },
  ]);
  return readBalances(
    {},
    sql`${holdings.customer_key} = ${keyOf(placeholder)} AND ${isOnPage}`,
    limitTo(sql`1 + ${placeholder("limit")}`),
  );
});
