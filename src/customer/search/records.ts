import { type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { accountsOf } from "../../accounts/answers.ts";
import { isFirstOfAccount, SEARCH_ACCOUNT } from "../../accounts/queries.ts";
import type { RowOf } from "../../db/database.ts";
import { selectWith } from "../../db/select.ts";
import { accounts } from "../../db/tables/accounts.ts";
import { campaigns } from "../../db/tables/campaigns.ts";
import { customers } from "../../db/tables/customers.ts";
import { registrations } from "../../db/tables/registrations.ts";
import { stores } from "../../db/tables/stores.ts";
import { isRunning } from "../../domain/campaigns.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { friendStatus } from "../../domain/friendships.ts";
import { joinStoresOf } from "../../domain/stores.ts";
import { type JsonText, merge, storedJson, toJson, withMember } from "../../http/json-text.ts";
import { type Forgiving, meantBy } from "./meant.ts";
import type { SearchList } from "./scope.ts";

/** What was found, each record as its JSON text. */
export interface Found extends Record<SearchList, JsonText[]> {
  /** The words that were forgiven in one of these records, in the order of the query, and what each was taken for. */
  forgiven: string[];
  meant: Record<string, string[]>;
}

export type FoundRow = RowOf<ReturnType<(typeof READ)[SearchList]>>;

/**
 * Reads the records of a list, each as JSON text, to be put together without a look inside.
 * @param found for a `WITH` clause: `found(rank, key, account_key, forgiven)`; of customers, without `account_key`
 */
export const READ = {
  stores: (found: SQL) => {
    const fields = {
      record: jsonOf({
        id: stores.id,
        account_id: accounts.id,
        name: stores.name,
        store_image: stores.storeImage,
        address_line_1: stores.addressLine1,
        address_line_2: stores.addressLine2,
        city: stores.city,
        state: stores.state,
        zip: stores.zip,
        phone: stores.phone,
      }),
      // By themselves: JSON made by SQLite has fewer digits than a position may have.
      latitude: stores.latitude,
      longitude: stores.longitude,
      ...ofMerchant(stores),
    };
    return selectWith(found, fields, rowsOf(stores));
  },
  // Of any date and status: both are in the record.
  campaigns: (found: SQL) => {
    const fields = {
      record: jsonOf({
        id: campaigns.id,
        // Here the account's id is a number (docs/contract/interface.md, 4.6).
        account_id: sql`CAST(${accounts.id} AS INTEGER)`,
        name: campaigns.name,
        campaign_start_date: campaigns.campaignStartDate,
        campaign_end_date: campaigns.campaignEndDate,
        campaign_description: campaigns.campaignDescription,
        status: campaigns.status,
      }),
      details: campaigns.details,
      ...ofMerchant(campaigns),
    };
    return selectWith(found, fields, rowsOf(campaigns));
  },
  customers: readCustomers,
};

// Every column of every row has its price on the way, also one that is NULL: what few rows have is one column.

/** NULL where no word had to be forgiven; else a JSON object: which words were, and the words of the record. */
function forgivenIn(words: SQL, forgiven = sql`found.forgiven`): SQL<string | null> {
  return sql`iif(${forgiven} IS NULL, NULL, json_object('forgiven', json(${forgiven}), 'words', ${words}))`;
}

type OfMerchant = typeof stores | typeof campaigns;

/** The account comes with one record of each. */
function ofMerchant({ words, accountKey }: OfMerchant) {
  const isFirst = isFirstOfAccount(sql`found.account_key`, { list: sql`found`, key: sql`found.key` });
  return {
    forgiven: forgivenIn(sql`${words} || ' ' || ${accounts.words}`),
    account_key: accountKey,
    account: sql<string | null>`iif(${isFirst}, ${SEARCH_ACCOUNT}, NULL)`,
  };
}

function rowsOf(table: OfMerchant): SQL {
  return sql`
    FROM found
    CROSS JOIN ${table} ON ${table.key} = found.key
    CROSS JOIN ${accounts} ON ${accounts.key} = ${table.accountKey}
    ORDER BY found.rank, found.key`;
}

/** What a customer shows to friends only; others see `HIDDEN`. */
const PERSONAL = {
  scan_id: customers.scanId,
  date_of_birth: customers.dateOfBirth,
  address_line_1: customers.addressLine1,
  address_line_2: customers.addressLine2,
  city: customers.city,
  state: customers.state,
  zip: customers.zip,
};
const HIDDEN = toJson({
  ...Object.fromEntries(Object.keys(PERSONAL).map((name) => [name, ""])),
  date_of_birth: null,
  balance: 0,
});

/** With what the caller may see of each customer. */
function readCustomers(found: SQL, caller: Placeholder) {
  const isOpen = sql`${customers.id} = ${caller} OR seen.friend_status = 1`;
  const counted = sql`${found},
    seen AS MATERIALIZED (
      SELECT found.rank, found.key, found.forgiven, (
        SELECT ${friendStatus(sql`caller.key`, sql`found.key`)} FROM (SELECT ${customerKeyOf(caller)} AS key) AS caller
      ) AS friend_status
      FROM found
    ),
    joined AS MATERIALIZED (
      SELECT seen.key, ${stores.accountKey} AS account_key, count(*) AS stores
      FROM seen ${joinStoresOf(sql`seen.key`)}
      GROUP BY seen.key, ${stores.accountKey}
    ),
    running AS MATERIALIZED (
      SELECT account_key, (
        SELECT count(*) FROM ${campaigns} WHERE ${campaigns.accountKey} = one.account_key AND ${isRunning(campaigns)}
      ) AS campaigns
      FROM (SELECT DISTINCT account_key FROM joined) AS one
    ),
    counted AS MATERIALIZED (
      SELECT joined.key, sum(joined.stores) AS stores, sum(running.campaigns) AS campaigns
      FROM joined LEFT JOIN running ON running.account_key = joined.account_key
      GROUP BY joined.key
    )`;
  const fields = {
    record: jsonOf({
      id: customers.id,
      first_name: customers.firstName,
      last_name: customers.lastName,
      customer_description: customers.customerDescription,
      avatar: customers.avatar,
      friend_status: sql`seen.friend_status`,
      stores_count: sql`coalesce(counted.stores, 0)`,
      campaigns_total: sql`coalesce(counted.campaigns, 0)`,
      campaigns_registered: sql`(
        SELECT count(*) FROM ${registrations}
        CROSS JOIN ${campaigns} ON ${campaigns.key} = ${registrations.campaignKey} AND ${isRunning(campaigns)}
        CROSS JOIN joined ON joined.key = seen.key AND joined.account_key = ${campaigns.accountKey}
        WHERE ${registrations.customerKey} = seen.key
      )`,
    }),
    personal: sql<string | null>`iif(${isOpen}, ${jsonOf(PERSONAL)}, NULL)`,
    // By itself, for the same reason as a position.
    balance: sql<number>`iif(${isOpen}, ${customers.balance} / 100.0, 0)`,
    forgiven: forgivenIn(sql`${customers.words}`, sql`seen.forgiven`),
  };
  const rows = sql`
    FROM seen
    CROSS JOIN ${customers} ON ${customers.key} = seen.key
    LEFT JOIN counted ON counted.key = seen.key
    ORDER BY seen.rank, seen.key`;
  return selectWith(counted, fields, rows);
}

function jsonOf(members: Readonly<Record<string, SQLWrapper>>): SQL<string> {
  const parts = Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  return sql`json_object(${sql.join(parts, sql`, `)})`;
}

/** The JSON of a customer as the caller may see them. */
export function toCustomer({ record, personal, balance }: RowOf<ReturnType<typeof readCustomers>>): JsonText {
  if (personal === null) return merge(storedJson(record), HIDDEN);
  return merge(storedJson(record), storedJson(personal), toJson({ balance }));
}

export function toFound(rows: readonly FoundRow[], words: readonly string[]): Found {
  const accountOf = accountsOf(rows.filter((row) => "account" in row));
  const found: Record<SearchList, JsonText[]> = { stores: [], customers: [], campaigns: [] };
  for (const row of rows) {
    if ("personal" in row) {
      found.customers.push(toCustomer(row));
    } else if ("details" in row) {
      const record = merge(storedJson(row.record), storedJson(row.details));
      found.campaigns.push(withMember(record, "account", accountOf(row)));
    } else {
      const record = merge(storedJson(row.record), toJson({ latitude: row.latitude, longitude: row.longitude }));
      found.stores.push(withMember(record, "account", accountOf(row)));
    }
  }
  const shown = rows.flatMap(({ forgiven }) => (forgiven === null ? [] : [toForgiving(forgiven)]));
  const forgiven = words.filter((word) => shown.some((one) => one.forgiven.includes(word)));
  return { ...found, forgiven, meant: Object.fromEntries(forgiven.map((word) => [word, meantBy(word, shown)])) };
}

function toForgiving(json: string): Forgiving {
  const { forgiven, words } = JSON.parse(json);
  return { forgiven, words: words.split(" ") };
}
