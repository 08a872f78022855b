import { type AnyColumn, type Placeholder, type SQL, sql } from "drizzle-orm";
import { bytesBefore, bytesOf } from "../../db/cut.ts";
import type { RowOf } from "../../db/database.ts";
import type { Selection } from "../../db/query.ts";
import { jsonOf, pick, selectWith } from "../../db/select.ts";
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

export const isOfList = (row: object, list: SearchList) => OWN_FIELD[list] in row;

export function isFull(list: SearchList, rows: readonly FoundRow[]): boolean {
  return rows.filter((row) => isOfList(row, list)).length >= FOUND_LIMIT;
}

/** Reads the records of a list. `found` is for a `WITH` clause: `found(rank, key, forgiven)`. */
export const SELECT_RECORDS = { stores: readStores, campaigns: readCampaigns, customers: readFoundCustomers };

function readStores(found: SQL) {
  const texts = pick(stores, ...StoreTexts.keyof().options);
  const record = jsonOf({
    id: stores.id,
    account_id: accounts.id,
    ...texts,
  });
  // Kept out of the JSON `record`, in which SQLite writes numbers with fewer digits than a position may have.
  const position = pick(stores, "latitude", "longitude");
  return readOfMerchants(found, stores, { texts: Object.values(texts), fields: { record, ...position } });
}

function readCampaigns(found: SQL) {
  const record = jsonOf({
    id: campaigns.id,
    account_id: sql`CAST(${accounts.id} AS INTEGER)`,
    ...pick(campaigns, ...CampaignColumns.keyof().options),
  });
  const { name, campaign_description, details } = campaigns;
  return readOfMerchants(found, campaigns, {
    texts: [name, campaign_description, details],
    fields: { record, details },
  });
}

/**
 * Stores or campaigns. The first of some records of one account in a row brings the account object. The list is cut by the
 * keys and sizes of the records, so that no text is sorted.
 */
function readOfMerchants<F extends Selection>(
  found: SQL,
  table: typeof stores | typeof campaigns,
  { texts, ...own }: { texts: readonly AnyColumn[]; fields: F },
) {
  const records = (of: SQL) => sql`
    CROSS JOIN ${table} ON ${table.key} = ${of}.key CROSS JOIN ${accounts} ON ${accounts.key} = ${table.account_key}`;
  const order = sql`ORDER BY found.rank, found.key`;
  const listed = sql`
    SELECT
      found.*, lag(${table.account_key}) OVER (${order}) AS account_before,
      ${bytesBefore(bytesOf(...texts, accounts.fields), order)} AS bytes_before
    FROM found ${records(sql`found`)}`;
  const fields = {
    ...own.fields,
    /** NULL if no word was forgiven; else a JSON array of the positions of these words in the query. */
    forgiven: sql<string | null>`listed.forgiven`,
    account_key: table.account_key,
    account: sql<string | null>`iif(
      account_before IS ${table.account_key}, NULL,
      '{"agreement_type":' || coalesce(${accounts.agreement_type}, 'null') || ',' || substr(${accounts.fields}, 2)
    )`,
  };
  const rows = sql`
    FROM (${listed}) AS listed ${records(sql`listed`)}
    WHERE coalesce(bytes_before, 0) < ${sql.raw(String(LIST_BYTES))} ORDER BY listed.rank, listed.key`;
  return selectWith(found, fields, rows);
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
