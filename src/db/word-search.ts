import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { limitTo } from "./limit.ts";

/** What is searched: an index of words, the record that an entry stands for, and which records may be found. */
export interface Searched {
  index: string;
  /** Joins the record to its key. */
  record: (key: SQL) => SQL;
  /** Which records may be found: the others do not count towards the limit. */
  where: SQL;
  /** The words that a record is found by, with blanks between them: an expression on the record. */
  recordWords: SQL;
}

/** FTS5 has lists of records for beginnings of so many letters; of a longer one it gathers all before it finds the first. */
export const LONGEST_BEGINNING = 6;

/**
 * How many beginnings are looked up at most. FTS5 goes through all records of each, a million of them in 20 ms, and after
 * the rarest four few records are left that do not hold the others too.
 */
export const LOOKED_UP = 4;
const SAMPLE = 100;

/**
 * What FTS5 is asked for records with the rarest of many beginnings; each must be looked at for the others. A beginning
 * counts as the rarer the later its hundredth record was stored, which is known without going through all.
 * @param beginnings a JSON array
 */
export function rarestBeginnings(index: string, beginnings: SQL | Placeholder): SQL {
  const name = sql.raw(index);
  const hundredth = sql`SELECT rowid FROM ${name} WHERE ${name} MATCH text
    ORDER BY rowid LIMIT 1 OFFSET ${sql.raw(String(SAMPLE - 1))}`;
  return sql`(
    SELECT group_concat(text, ' AND ') FROM (
      SELECT text FROM (SELECT '"' || value || '"*' AS text FROM json_each(${beginnings}))
      ORDER BY coalesce((${hundredth}), 9e18) DESC ${limitTo(LOOKED_UP)}
    )
  )`;
}

/** Those of the words, a JSON array, that begin no word of a record. */
export function notBegun(recordWords: SQL, words: Placeholder): SQL {
  return sql`SELECT value FROM json_each(${words}) WHERE instr(' ' || ${recordWords}, ' ' || value) = 0`;
}

/** The keys of records that an index finds, in the order first stored: a walk along it, which ends with its limit. */
export function walk({ index, record, where }: Searched, text: SQL | Placeholder, limit: SQL): SQL {
  const name = sql.raw(index);
  return sql`
    SELECT ${name}.rowid AS key FROM ${name} ${record(sql`${name}.rowid`)}
    WHERE ${name} MATCH ${text} AND ${where}
    ORDER BY ${name}.rowid ${limit}`;
}

/** What is asked: texts for FTS5, and which beginnings a record must hold besides, as a JSON array. */
export interface Asked {
  whole: Placeholder;
  beginnings: SQL | Placeholder;
  /** The beginnings cut to what the index has lists of: where no record has all of these, the others are not asked for. */
  short?: Placeholder | undefined;
  held?: Placeholder | undefined;
}

/**
 * For a `WITH` clause: `found(rank, key, forgiven)`, at most `limit` records: those that hold every word whole (rank 0), then
 * those that only begin so (1). No word is forgiven.
 */
export function findWords(searched: Searched, { whole, beginnings, short, held }: Asked, limit: number): SQL {
  const name = sql.raw(searched.index);
  const isFound = sql`${name}.rowid IN (SELECT key FROM whole)`;
  const holdsAll = held === undefined ? sql`` : sql`AND NOT EXISTS (${notBegun(searched.recordWords, held)})`;
  const mayBe = short === undefined ? sql`true` : sql`EXISTS (SELECT 1 FROM ${name} WHERE ${name} MATCH ${short})`;
  const left = sql`LIMIT iif(${mayBe}, ${sql.raw(String(limit))} - (SELECT count(*) FROM whole), 0)`;
  const others = { ...searched, where: sql`${searched.where} AND NOT ${isFound} ${holdsAll}` };
  return sql`
    whole AS MATERIALIZED (${walk(searched, whole, limitTo(limit))}),
    others AS MATERIALIZED (${walk(others, beginnings, left)}),
    found(rank, key, forgiven) AS MATERIALIZED (
      SELECT 0, key, NULL FROM whole UNION ALL SELECT 1, key, NULL FROM others
    )`;
}
