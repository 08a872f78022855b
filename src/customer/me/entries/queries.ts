import { eq, type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../../db/compile.ts";
import { isAfter } from "../../../db/cut.ts";
import type { Database, RowOf } from "../../../db/database.ts";
import { query } from "../../../db/query.ts";
import { isEvent, limitTo, select, summaryFormat } from "../../../db/select.ts";
import type { Page } from "../../../http/paging.ts";
import { balanceEntries } from "../../../records/balance-entry.ts";
import { campaigns } from "../../../records/campaign.ts";
import { customerKeyOf } from "../../../records/customer.ts";
import { stores } from "../../../records/store.ts";
import { visibleAccounts, visibleCustomers } from "../../../records/views.ts";
import { AFTER_ALL_TIMES } from "../../../values/time.ts";
import type { BalanceEntry } from "./schema.ts";

/** A place before all entries. */
export const ENTRIES_BEGINNING = { time: AFTER_ALL_TIMES, id: "" };

/** The most entries that a page reads. Without this limit, a filter by account could read all of them. */
const READ_ENTRIES = 1_000;

interface Query {
  customerId: string;
  accountId: string | null;
  /** The step of the first page; undefined: this is the first page. */
  step: number | undefined;
  page: Page<typeof ENTRIES_BEGINNING>;
}

/**
 * A page of the customer's entries, newest first, then one item for each account with the sum of the entries that were added up
 * (docs/contract/interface.md, 4.9). `lastRead`: the last entry that was read, if the page has read as many as it may. Null: the
 * customer is not stored, or erased. "added up": entries of the customer were added up since the first page. One round trip.
 */
export async function findEntries(db: Database, { customerId, accountId, step, page: { limit, after } }: Query) {
  const { time, id } = after;
  const [[customer], rows] = await db.batch([
    selectStep({ customerId }),
    selectEntries({ customerId, accountId, time, id, limit }),
  ]);
  if (customer === undefined) return null;
  if (step !== undefined && step !== customer.step) return "added up";
  const lastRead = rows.find(({ part }) => part === "end");
  const items = rows.filter((row) => row !== lastRead).map(toItem);
  return { step: customer.step, items, lastRead: lastRead && toItem(lastRead) };
}

type EntryRow = RowOf<ReturnType<typeof selectEntries>>;

export function placeOf({ brought_forward, created_at, id, account_id }: BalanceEntry): typeof ENTRIES_BEGINNING {
  return brought_forward ? { time: "", id: account_id } : { time: created_at, id };
}

function toItem({ part, created_at, description, ...row }: EntryRow): BalanceEntry {
  const amount = row.amount / 100;
  const account_id = row.account_id ?? "";
  const none = { store: null, account_id, campaign: null, brought_forward: true } as const;
  if (part === "forward") return { id: null, amount, description: "", created_at, ...none };
  const store = { id: row.store_id ?? "", name: row.store_name ?? "" };
  const campaign = row.campaign_id === null ? null : { id: row.campaign_id, name: row.campaign_name ?? "" };
  return { id: row.id ?? "", amount, description, created_at, store, account_id, campaign, brought_forward: false };
}

/** Whether an entry is a summary: its id begins with the customer's key. */
function isSummaryOf(customerKey: SQL): SQL {
  const beginning = sql.raw(summaryFormat(1));
  return sql`${balanceEntries.id} >= printf(${beginning}, ${customerKey})
    AND ${balanceEntries.id} < printf(${beginning}, ${customerKey} + 1)`;
}

const selectStep = compileOnce("me/entries/step", (placeholder: PlaceholderOf<"customerId">) =>
  query
    .select({
      step: sql<number>`coalesce((
        SELECT max(CAST(${balanceEntries.description} AS INTEGER)) FROM ${balanceEntries}
        WHERE ${isSummaryOf(sql`${visibleCustomers.key}`)}
      ), 0)`,
    })
    .from(visibleCustomers)
    .where(eq(visibleCustomers.id, placeholder("customerId"))),
);

type Placeholders = PlaceholderOf<"customerId" | "accountId" | "time" | "id" | "limit">;

// SQLite reads the three parts in their order and stops at the limit. So it looks for the last entry of the scan only if the
// page is not full, and reads the summaries only on the last pages.
const selectEntries = compileOnce("me/entries/page", (placeholder: Placeholders) => {
  const { id, amount, description, created_at, customer_key, store_key, campaign_key } = balanceEntries;
  const customerKey = customerKeyOf(placeholder("customerId"));
  const scan = sql`
    SELECT * FROM ${balanceEntries} INDEXED BY balance_entries_by_customer
    WHERE ${customer_key} = ${customerKey} AND ${isEvent(balanceEntries)}
      AND ${isAfter([
        { column: created_at, after: placeholder("time"), isDescending: true },
        { column: id, after: placeholder("id"), isDescending: true },
      ])}
    ORDER BY ${created_at} DESC, ${id} DESC`;
  const lastScanned = sql`${scan} LIMIT 1 OFFSET ${sql.raw(String(READ_ENTRIES - 1))}`;
  const isAsked = sql`(${placeholder("accountId")} IS NULL OR ${visibleAccounts.id} = ${placeholder("accountId")})`;
  const joinAccount = sql`
    CROSS JOIN ${stores} ON ${stores.key} = ${store_key}
    CROSS JOIN ${visibleAccounts} ON ${visibleAccounts.key} = ${stores.account_key} AND ${isAsked}`;
  // In each part of the union: part, id, amount, description, created_at, store's id and name, account, campaign's id and name.
  const nothing = sql<string | null>`NULL`;
  const entries = select(
    {
      part: sql<"entry" | "end" | "forward">`'entry'`,
      id: sql<string | null>`${id}`,
      amount,
      description,
      created_at,
      store_id: sql<string | null>`${stores.id}`,
      store_name: sql<string | null>`${stores.name}`,
      account_id: sql<string | null>`${visibleAccounts.id}`,
      campaign_id: sql<string | null>`${campaigns.id}`,
      campaign_name: sql<string | null>`${campaigns.name}`,
    },
    sql`FROM (${scan} LIMIT ${sql.raw(String(READ_ENTRIES))}) AS ${balanceEntries} ${joinAccount}
      LEFT JOIN ${campaigns} ON ${campaigns.key} = ${campaign_key}`,
  );
  return sql<RowOf<typeof entries>>`${entries}
    UNION ALL SELECT 'end', ${id}, 0, '', ${created_at}, ${nothing}, ${nothing}, ${nothing}, ${nothing}, ${nothing}
    FROM (${lastScanned}) AS ${balanceEntries}
    UNION ALL SELECT * FROM (
      SELECT 'forward', ${nothing}, total(${amount}), '', max(${created_at}), ${nothing}, ${nothing}, ${visibleAccounts.id},
        ${nothing}, ${nothing}
      FROM ${balanceEntries} ${joinAccount}
      WHERE ${isSummaryOf(customerKey)} AND NOT EXISTS (${lastScanned})
        AND ${visibleAccounts.id} > iif(${placeholder("time")} = '', ${placeholder("id")}, '')
      GROUP BY ${visibleAccounts.key} ORDER BY ${visibleAccounts.id}
    )
    ${limitTo(sql`1 + ${placeholder("limit")}`)}`;
});
