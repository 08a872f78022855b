import { type SQL, sql } from "drizzle-orm";
import type { Selection } from "../db/query.ts";
import { jsonOf, pick, select, selectWith } from "../db/select.ts";
import { type JsonText, mergeObjects, storedJson, toJson } from "../http/json-text.ts";
import {
  holdings,
  joinedStores,
  runningCampaigns,
  runningRegistrations,
  visibleAccounts,
  visibleCustomers,
} from "../records/views.ts";
import { Address } from "./schema.ts";

// A customer's record, and their balances by account: for `/me`, a search and a look-up by card.

/** The fields that a customer shows to friends only. */
const PERSONAL = pick(visibleCustomers, "scan_id", "date_of_birth", ...Address.keyof().options);

/**
 * Reads the records of customers. `seen` is for a `WITH` clause. It ends with `seen(key, is_self, friend_status)`: who is read,
 * and what they are to the caller.
 * @param more other fields.
 */
export function readCustomers<F extends Selection>(seen: SQL, more: F, order = sql``) {
  const isOpen = sql`seen.is_self OR seen.friend_status = 1`;
  const personal = Object.entries(PERSONAL).map(([name, column]) => {
    const hidden = column.notNull ? sql`''` : sql`NULL`;
    return [name, sql`iif(${isOpen}, ${column}, ${hidden})`];
  });
  const tables = sql`${seen},
    joined AS MATERIALIZED (
      SELECT DISTINCT seen.key, ${joinedStores.account_key} AS account_key
      FROM seen CROSS JOIN ${joinedStores} ON ${joinedStores.customer_key} = seen.key
    ),
    running AS MATERIALIZED (
      SELECT account_key, (
        SELECT count(*) FROM ${runningCampaigns} WHERE ${runningCampaigns.account_key} = joined_account.account_key
      ) AS campaigns
      FROM (SELECT DISTINCT account_key FROM joined) AS joined_account
    ),
    counted AS MATERIALIZED (
      SELECT joined.key, sum(running.campaigns) AS campaigns
      FROM joined CROSS JOIN running ON running.account_key = joined.account_key
      GROUP BY joined.key
    )`;
  const fields = {
    record: jsonOf({
      ...pick(visibleCustomers, "id", "first_name", "last_name", "customer_description", "avatar"),
      ...Object.fromEntries(personal),
      friend_status: sql`seen.friend_status`,
      stores_count: visibleCustomers.stores_joined,
      campaigns_total: sql`coalesce(counted.campaigns, 0)`,
      campaigns_registered: sql`(
        SELECT count(*) FROM ${runningRegistrations}
        CROSS JOIN joined ON joined.key = seen.key AND joined.account_key = ${runningRegistrations.account_key}
        WHERE ${runningRegistrations.customer_key} = seen.key
      )`,
    }),
    // Kept out of the JSON `record`, in which SQLite writes numbers with fewer digits than a balance may have.
    balance: sql<number>`iif(${isOpen}, ${visibleCustomers.balance} / 100.0, 0)`,
    ...more,
  };
  const rows = sql`
    FROM seen
    CROSS JOIN ${visibleCustomers} ON ${visibleCustomers.key} = seen.key
    LEFT JOIN counted ON counted.key = seen.key
    ${order}`;
  return selectWith(tables, fields, rows);
}

export function toCustomer({ record, balance }: { record: string; balance: number }): JsonText {
  return mergeObjects(storedJson(record), toJson({ balance }));
}

/**
 * Reads the balances of customers at each account, by customer, then by the account's name.
 * @param more other fields.
 * @param where which `holdings` to add up.
 */
export function readBalances<F extends Selection>(more: F, where: SQL, limit: SQL) {
  const fields = {
    ...more,
    account_id: visibleAccounts.id,
    company: visibleAccounts.company,
    // Uses `total()`, because `sum()` fails if the balances at many stores exceed an integer.
    balance: sql<number>`total(${holdings.balance}) / 100`,
    stores_count: sql<number>`sum(${holdings.stores})`,
  };
  const rows = sql`
    FROM ${holdings} CROSS JOIN ${visibleAccounts} ON ${visibleAccounts.key} = ${holdings.account_key}
    WHERE ${where}
    GROUP BY ${holdings.customer_key}, ${visibleAccounts.key}
    ORDER BY ${holdings.customer_key}, ${visibleAccounts.company}, ${visibleAccounts.id} ${limit}`;
  return select(fields, rows);
}
