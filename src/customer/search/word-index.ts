import { and, type Placeholder, type SQL, sql } from "drizzle-orm";
import { limitTo } from "../../db/select.ts";
import { removedAccounts } from "../../db/tables.ts";
import { accounts } from "../../records/account.ts";
import { blocks } from "../../records/block.ts";
import { campaigns } from "../../records/campaign.ts";
import { customerKeyOf, customers } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { hasBlocked } from "../rules.ts";
import type { SearchList } from "./schema.ts";

/** An FTS5 index of words, whose entries have the keys of records. */
export interface WordIndex {
  name: string;
  /** Joins the record with a key. */
  joinRecord: (key: SQL) => SQL;
  /** Joins the table that the condition `mayBeFound` reads. */
  joinForFilter: (key: SQL) => SQL;
  /** Which records the caller may find, by key. */
  mayBeFound: (key: SQL) => SQL;
  /** Whether more than this number of records with entries may not be found. About merchants, it says so of any number. */
  hidesMore: (than: Placeholder) => SQL<0 | 1>;
  /** The words of a record, with blanks between them. */
  words: SQL;
  table: typeof stores | typeof campaigns | typeof customers;
  /** A condition on records: they have so many words that no search tests their text. Each table has an index for it. */
  isLong: SQL;
}

/** The index of each list, for a caller. */
export const INDEXES: Record<SearchList, (caller: Placeholder) => WordIndex> = {
  stores: () => merchantIndex("store_words", stores, 400),
  campaigns: () => merchantIndex("campaign_words", campaigns, 5_000),
  customers: (caller) => ({
    ...indexOf("customer_words", customers, 400),
    joinForFilter: () => sql``,
    mayBeFound: (key) => sql`NOT ${hasBlocked(key, customerKeyOf(caller))}`,
    hidesMore: (than) => sql<0 | 1>`EXISTS (
      SELECT 1 FROM ${blocks} WHERE ${blocks.blocked_key} = ${customerKeyOf(caller)} ${limitTo(1)} OFFSET 0 + ${than}
    )`,
    words: sql`${customers.words}`,
  }),
};

function indexOf(name: string, table: WordIndex["table"], longestBytes: number) {
  const isLong = sql`octet_length(${table.words}) > ${sql.raw(String(longestBytes))}`;
  return { name, table, isLong, joinRecord: (key: SQL) => sql`CROSS JOIN ${table} ON ${table.key} = ${key}` };
}

/** The index of stores or campaigns. Their words include those of the account's company. */
function merchantIndex(name: string, table: typeof stores | typeof campaigns, longestBytes: number): WordIndex {
  const company = sql`(SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} = ${table.account_key})`;
  const index = indexOf(name, table, longestBytes);
  return {
    ...index,
    joinForFilter: index.joinRecord,
    mayBeFound: () => sql`NOT EXISTS (
      SELECT 1 FROM ${accounts} INDEXED BY accounts_deleted WHERE ${accounts.deleted} = 1 AND ${accounts.key} = ${table.account_key}
    )`,
    hidesMore: () => sql<0 | 1>`EXISTS (SELECT 1 FROM ${removedAccounts})`,
    words: sql`(${table.words} || ' ' || ${company})`,
  };
}

/** The first records that match `text`, in the order first stored. FTS5 reads its index, and stops at the limit. */
function selectCandidates(name: string, text: Placeholder, limit: SQL | Placeholder): SQL {
  const index = sql.raw(name);
  return sql`SELECT rowid AS key FROM ${index} WHERE ${index} MATCH ${text} ORDER BY rowid ${limitTo(limit)}`;
}

/**
 * The records that the caller may find, among the first candidates that match `text`. Conditions stand outside of MATCH, so
 * that the limit on candidates bounds what is read, however many may not be found. `hasTexts`: a condition on the record.
 */
export function selectMatches(
  index: WordIndex,
  { text, candidates, limit, hasTexts }: { text: Placeholder; candidates: Placeholder; limit: SQL; hasTexts?: SQL },
  except = sql``,
): SQL {
  const key = sql`candidate.key`;
  const join = hasTexts === undefined ? index.joinForFilter(key) : index.joinRecord(key);
  return sql`
    SELECT ${key} FROM (${selectCandidates(index.name, text, candidates)}) AS candidate ${join}
    WHERE ${and(index.mayBeFound(key), hasTexts)} ${except} LIMIT ${limit}`;
}

/** Whether more than this number of records match `text`. */
export function hasMoreMatches(name: string, text: Placeholder, than: Placeholder): SQL {
  return sql`EXISTS (${selectCandidates(name, text, sql`1`)} OFFSET 0 + ${than})`;
}

/** Whether words have none of the texts of a choice (`textsOf`): neither `value` nor one of the JSON array `others`. */
export function lacks(words: SQL, value: SQL, others: SQL): SQL {
  const has = (text: SQL) => sql`instr(' ' || ${words} || ' ', ${text})`;
  return sql`${has(value)} = 0 AND (
    ${others} IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(${others}) AS other WHERE ${has(sql`other.value`)})
  )`;
}

/** The positions of the words of the query that a record lacks. `texts`: as `textsOf` has them. */
export function missingWords(recordWords: SQL, texts: Placeholder): SQL {
  return sql`SELECT key FROM json_each(${texts}) AS asked
    WHERE ${lacks(recordWords, sql`(asked.value ->> 0)`, sql`(asked.value ->> 1)`)}`;
}

export function nameOf(list: SearchList): SQL<SearchList> {
  return sql<SearchList>`${sql.raw(`'${list}'`)}`;
}
