import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { bytesOf, untilFull } from "../../db/cut.ts";
import type { RowOf } from "../../db/database.ts";
import type { Selection } from "../../db/query.ts";
import { identifiers, jsonOf, pick, type SelectedRow, selectList } from "../../db/select.ts";
import { type JsonText, jsonObject, mergeObjects, storedJson, toJson } from "../../http/json-text.ts";
import { showFirst } from "../../http/paging.ts";
import { accounts } from "../../records/account.ts";
import { campaigns } from "../../records/campaign.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { readCustomers, toCustomer } from "../read-customers.ts";
import { friendStatus } from "../rules.ts";
import type { AskedWord } from "./asked-words.ts";
import { type ForgivenRecord, meaningsOf } from "./known-customers.ts";
import { CampaignColumns, type SearchList, StoreTexts } from "./schema.ts";

/** The records that were found, each as JSON text. */
export interface Found extends Record<SearchList, JsonText[]> {
  /** The words of the query that were forgiven in one of these records, in the order of the query. */
  forgiven: string[];
  /** The words of records that each forgiven word was taken for. */
  meant: Record<string, string[]>;
  /** Whether a limit ended a list that has fewer than 20 records, so that records may be missing. */
  isIncomplete: boolean;
}

/** The most bytes of each list, which has no pages. The first record always fits: its account object has at most 400 KB. */
const LIST_BYTES = 600_000;

/** What a search found. */
export interface Matches {
  rows: FoundRow[];
  isIncomplete: boolean;
}

export type FoundRow = RowOf<ReturnType<(typeof SELECT_RECORDS)[SearchList]>>;

/** The most records of each list. */
export const FOUND_LIMIT = 20;

// Each kind of record has a field that the others lack.
const OWN_FIELD = { stores: "latitude", customers: "balance", campaigns: "details" } as const;

const isOfList = (row: FoundRow, list: SearchList) => OWN_FIELD[list] in row;

export function isFull(list: SearchList, rows: readonly FoundRow[]): boolean {
  return rows.filter((row) => isOfList(row, list)).length >= FOUND_LIMIT;
}

/** Reads the records of a list. `found` is for a `WITH` clause: `found(rank, key, forgiven)`. */
export const SELECT_RECORDS = { stores: readStores, campaigns: readCampaigns, customers: readFoundCustomers };

function readStores(found: SQL) {
  const record = jsonOf({
    id: stores.id,
    account_id: accounts.id,
    ...pick(stores, ...StoreTexts.keyof().options),
  });
  // Kept out of the JSON `record`, in which SQLite writes numbers with fewer digits than a position may have.
  const position = pick(stores, "latitude", "longitude");
  return readOfMerchants(found, stores, { record, ...position });
}

function readCampaigns(found: SQL) {
  const record = jsonOf({
    id: campaigns.id,
    account_id: sql`CAST(${accounts.id} AS INTEGER)`,
    ...pick(campaigns, ...CampaignColumns.keyof().options),
  });
  return readOfMerchants(found, campaigns, { record, details: campaigns.details });
}

/** NULL if no word was forgiven; else a JSON array of the positions of these words in the query. */
const FORGIVEN = sql<string | null>`found.forgiven`;

/** Stores or campaigns. The first record of each account brings the account object. */
function readOfMerchants<F extends Selection>(found: SQL, table: typeof stores | typeof campaigns, own: F) {
  const fields = {
    ...own,
    forgiven: FORGIVEN,
    account_key: table.account_key,
    account: sql<
      string | null
    >`'{"agreement_type":' || coalesce(${accounts.agreement_type}, 'null') || ',' || substr(${accounts.fields}, 2)`,
  };
  const { account, ...others } = fields;
  const records = sql`
    SELECT *, row_number() OVER (PARTITION BY account_key ORDER BY rank, key) = 1 AS is_first
    FROM (
      SELECT found.rank, found.key, ${selectList(fields)} FROM found
      CROSS JOIN ${table} ON ${table.key} = found.key
      CROSS JOIN ${accounts} ON ${accounts.key} = ${table.account_key}
    )
    ORDER BY rank, key`;
  return sql<SelectedRow<typeof fields>>`WITH ${found}
    SELECT ${identifiers(Object.keys(others))}, iif(is_first, account, NULL) AS account FROM ${untilFull(records, bytesOf(sql`record`, sql`account`), LIST_BYTES)}`;
}

function readFoundCustomers(found: SQL, caller: Placeholder) {
  const seen = sql`${found},
    seen AS MATERIALIZED (
      SELECT
        found.rank, found.key, found.forgiven, found.key IS caller.key AS is_self,
        ${friendStatus(sql`caller.key`, sql`found.key`)} AS friend_status
      FROM found CROSS JOIN (SELECT ${customerKeyOf(caller)} AS key) AS caller
    )`;
  return readCustomers(seen, { forgiven: sql<string | null>`seen.forgiven` }, sql`ORDER BY seen.rank, seen.key`);
}

export function toFound({ rows, isIncomplete }: Matches, words: readonly AskedWord[]): Found {
  const accountTexts = new Map(
    rows.flatMap((row) => ("account" in row && row.account !== null ? [[row.account_key, row.account]] : [])),
  );
  const accountOf = (row: Exclude<FoundRow, { balance: number }>) => accountTexts.get(row.account_key) ?? "null";
  const toText = (row: FoundRow): JsonText => {
    if ("balance" in row) return toCustomer(row);
    const rest = "details" in row ? storedJson(row.details) : toJson(pick(row, "latitude", "longitude"));
    return mergeObjects(storedJson(row.record), rest, jsonObject({ account: storedJson(accountOf(row)) }));
  };
  const withTypos: ForgivenRecord[] = [];
  const textsOf = (list: SearchList) => {
    const own = rows.filter((row) => isOfList(row, list));
    const { texts, items } = showFirst(own, toText, { bytes: LIST_BYTES });
    for (const row of items) {
      if (row.forgiven === null) continue;
      const account = "balance" in row ? {} : JSON.parse(accountOf(row));
      withTypos.push({
        texts: searchedTexts({ ...account, ...JSON.parse(row.record) }, list),
        forgiven: JSON.parse(row.forgiven),
      });
    }
    return texts;
  };
  const texts = { stores: textsOf("stores"), customers: textsOf("customers"), campaigns: textsOf("campaigns") };
  const meant = words.flatMap(({ typed, text }, position) => {
    const records = withTypos.filter(({ forgiven }) => forgiven.includes(position));
    return records.length > 0 ? [[typed, meaningsOf(text, records)] as const] : [];
  });
  return {
    ...texts,
    isIncomplete,
    forgiven: [...new Set(meant.map(([typed]) => typed))],
    meant: Object.fromEntries(meant),
  };
}

/** The fields in which a search looks. A store or a campaign has the company of its account. */
const SEARCHED_FIELDS: Record<SearchList, readonly string[]> = {
  stores: ["name", "address_line_1", "address_line_2", "city", "state", "zip", "company"],
  customers: ["last_name", "first_name"],
  campaigns: ["name", "campaign_description", "company"],
};

/** The texts in which a search looks, with the company of the account. */
function searchedTexts(record: Record<string, unknown>, list: SearchList): string[] {
  return SEARCHED_FIELDS[list].map((field) => String(record[field] ?? ""));
}
