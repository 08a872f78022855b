import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import { limitTo } from "../../db/select.ts";
import { accounts } from "../../records/account.ts";
import { campaigns } from "../../records/campaign.ts";
import { customerKeyOf, customers } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { hasBlocked } from "../rules.ts";
import type { SearchList } from "./schema.ts";

/** An FTS5 index of words, whose entries have the keys of records. */
export interface WordIndex {
  name: SQL;
  /** Joins the record with a key. */
  joinRecord: (key: SQL) => SQL;
  /** Joins the table that the condition `mayBeFound` reads. */
  joinForFilter: (key: SQL) => SQL;
  /** Which records the caller may find, by key. Other records do not count towards the limit. */
  mayBeFound: (key: SQL) => SQL;
  /** The words of a record, with blanks between them. */
  words: SQL;
}

/** The index of each list, for a caller. */
export const INDEXES: Record<SearchList, (caller: Placeholder) => WordIndex> = {
  stores: () => merchantIndex("store_words", stores),
  campaigns: () => merchantIndex("campaign_words", campaigns),
  customers: (caller) => ({
    name: sql.raw("customer_words"),
    joinRecord: (key) => sql`CROSS JOIN ${customers} ON ${customers.key} = ${key}`,
    joinForFilter: () => sql``,
    mayBeFound: (key) => sql`NOT ${hasBlocked(key, customerKeyOf(caller))}`,
    words: sql`${customers.words}`,
  }),
};

/** The index of stores or campaigns. Their words include those of the account's company. */
function merchantIndex(name: string, table: typeof stores | typeof campaigns): WordIndex {
  const company = sql`(SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} = ${table.account_key})`;
  const joinRecord = (key: SQL) => sql`CROSS JOIN ${table} ON ${table.key} = ${key}`;
  return {
    name: sql.raw(name),
    joinRecord,
    joinForFilter: joinRecord,
    mayBeFound: () => sql`NOT EXISTS (
      SELECT 1 FROM ${accounts} INDEXED BY accounts_deleted WHERE ${accounts.deleted} = 1 AND ${accounts.key} = ${table.account_key}
    )`,
    words: sql`(${table.words} || ' ' || ${company})`,
  };
}

/** The records that match `text`, in the order first stored. FTS5 reads its index, and stops at the limit. */
export function selectMatches(
  { name, joinForFilter, mayBeFound }: WordIndex,
  text: SQL | Placeholder,
  limit: SQL,
): SQL {
  const key = sql`${name}.rowid`;
  return sql`
    SELECT ${key} AS key FROM ${name} ${joinForFilter(key)}
    WHERE ${name} MATCH ${text} AND ${mayBeFound(key)}
    ORDER BY ${key} ${limit}`;
}

/** The words of the query that begin no word of a record. `words` is a JSON array. */
export function missingWords(recordWords: SQL, words: Placeholder): SQL {
  return sql`SELECT value FROM json_each(${words}) WHERE instr(' ' || ${recordWords}, ' ' || value) = 0`;
}

/** The FTS5 expression for records with a word for each of these beginnings, which have letters and digits only. */
export function asBeginnings(beginnings: readonly string[]): string {
  return beginnings.map((beginning) => `"${beginning}"*`).join(" AND ");
}

/** FTS5 has lists of records for beginnings of up to 6 letters. For a longer one, it gathers all records first. */
export const LONGEST_BEGINNING = 6;

/**
 * The most beginnings that are looked up. FTS5 reads all records of each, a million of them in 20 ms. Few records hold the
 * rarest four beginnings and lack the others.
 */
const MOST_BEGINNINGS = 4;
const RARITY_RANK = 100;

/** The FTS5 MATCH texts for a query in one list, and which lookup to use. */
export interface WordExpressions {
  plan: LookupPlan;
  texts: Record<"wholeWords" | "beginnings" | "shortBeginnings" | "beginningsJson", string>;
}

/** `many`: only the rarest beginnings are looked up. `long`: FTS5 has no list for some of them. */
export type LookupPlan = "few" | "long" | "many";

export function wordExpressions(words: readonly string[]): WordExpressions {
  const beginnings = withoutBeginnings(words);
  const short = beginnings.map((beginning) => [...beginning].slice(0, LONGEST_BEGINNING).join(""));
  const hasMany = beginnings.length > MOST_BEGINNINGS;
  const hasLong = beginnings.some((beginning, index) => beginning !== short[index]);
  const planUnlessMany = hasLong ? "long" : "few";
  return {
    plan: hasMany ? "many" : planUnlessMany,
    texts: {
      wholeWords: words.map((word) => `"${word}"`).join(" AND "),
      beginnings: asBeginnings(beginnings),
      shortBeginnings: asBeginnings(short),
      beginningsJson: JSON.stringify(beginnings),
    },
  };
}

/** Leaves out words that begin another word: a record that has `ali` also has `al`. */
export function withoutBeginnings(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/**
 * For a `WITH` clause: `found(rank, key, forgiven)`, at most `limit` records. Rank 0: every word is a whole word of the
 * record. Rank 1: some words only begin a word. No word is forgiven.
 */
export function findWords(
  index: WordIndex,
  plan: LookupPlan,
  placeholder: PlaceholderOf<keyof WordExpressions["texts"]>,
  limit: number,
): SQL {
  const { name, words } = index;
  const holdsAll =
    plan === "many" ? sql`AND NOT EXISTS (${missingWords(words, placeholder("beginningsJson"))})` : sql``;
  const hasShort = sql`EXISTS (SELECT 1 FROM ${name} WHERE ${name} MATCH ${placeholder("shortBeginnings")})`;
  const lookedUp = {
    few: placeholder("beginnings"),
    // FTS5 gathers the records of long beginnings only if a record has the short ones. `""` finds nothing.
    long: sql`iif(${hasShort}, ${placeholder("beginnings")}, '""')`,
    many: rarestBeginnings(index, placeholder("beginningsJson")),
  }[plan];
  // If enough records have the whole words, this is LIMIT 0 and nothing is looked up.
  const left = sql`LIMIT ${sql.raw(String(limit))} - (SELECT count(*) FROM whole)`;
  const others: WordIndex = {
    ...index,
    joinForFilter: plan === "many" ? index.joinRecord : index.joinForFilter,
    mayBeFound: (key) => sql`${index.mayBeFound(key)} AND ${key} NOT IN (SELECT key FROM whole) ${holdsAll}`,
  };
  return sql`
    whole AS MATERIALIZED (${selectMatches(index, placeholder("wholeWords"), limitTo(limit))}),
    others AS MATERIALIZED (${selectMatches(others, lookedUp, left)}),
    found(rank, key, forgiven) AS (SELECT 0, key, NULL FROM whole UNION ALL SELECT 1, key, NULL FROM others)`;
}

/**
 * The FTS5 expression for the rarest of many beginnings, a JSON array. The records that it finds may lack the others. A
 * beginning is rarer if its hundredth record was stored later: FTS5 finds that record without reading the rest. Without a
 * hundredth record it is the rarest: 9e18 is beyond any rowid.
 */
export function rarestBeginnings({ name }: Pick<WordIndex, "name">, beginnings: SQL | Placeholder): SQL<string> {
  const hundredth = sql`SELECT rowid FROM ${name} WHERE ${name} MATCH text
    ORDER BY rowid LIMIT 1 OFFSET ${sql.raw(String(RARITY_RANK - 1))}`;
  return sql`(
    SELECT group_concat(text, ' AND ') FROM (
      SELECT text FROM (SELECT '"' || value || '"*' AS text FROM json_each(${beginnings}))
      ORDER BY coalesce((${hundredth}), 9e18) DESC ${limitTo(MOST_BEGINNINGS)}
    )
  )`;
}
