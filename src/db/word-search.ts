import { type SQL, sql } from "drizzle-orm";
import { limitTo } from "./limit.ts";

// A word is letters and digits only, so inside quotes it is nothing but text to FTS5.
const quoted = (word: string) => `"${word}"`;
const quotedBeginning = (word: string) => `"${word}"*`;

/** What an index of words is asked: `whole` for records that hold every word, `others` for those that only begin so. */
function texts(whole: SQL, beginning: SQL): SQL {
  return sql`asked(whole, others) AS MATERIALIZED (
    SELECT whole, '(' || beginning || ') NOT (' || whole || ')'
    FROM (SELECT ${whole} AS whole, ${beginning} AS beginning)
  )`;
}

/** For a `WITH` clause: what to ask an index whose entries hold all words of their record. */
export function askForWords(words: readonly string[]): SQL {
  return texts(sql`${words.map(quoted).join(" AND ")}`, sql`${words.map(quotedBeginning).join(" AND ")}`);
}

/** For a `WITH` clause: what to ask an index in which the mark of an account may stand for its words. */
export function askForWordsOrMarks(words: readonly string[]): SQL {
  const all = (one: (word: string) => string) => sql`(
    SELECT group_concat('(' || text || coalesce(marks, '') || ')', ' AND ') FROM (
      SELECT value AS text, (
        SELECT group_concat(' OR "+' || rowid || '"', '') FROM chain_words WHERE chain_words MATCH value
      ) AS marks
      FROM json_each(${JSON.stringify(words.map(one))})
    )
  )`;
  return texts(all(quoted), all(quotedBeginning));
}

/** What is searched: an index of words, the record that an entry stands for, and which records may be found. */
export interface Searched {
  index: string;
  /** Joins the record to the index by its key. */
  record: SQL;
  /** Which records may be found: the others take no place of the limit. */
  where: SQL;
}

/**
 * For a `WITH` clause, after `askFor…`: `found(place, key)`, at most `limit` records: those that hold every word whole
 * (place 0), then the others (1), each in the order first stored. Two walks along the index, by rowid, that stop when
 * they have enough, so that their cost follows what is found.
 */
export function findWords({ index, record, where }: Searched, limit: number): SQL {
  const name = sql.raw(index);
  const walk = (text: "whole" | "others", end: SQL) => sql`
    SELECT ${name}.rowid AS key FROM ${name} ${record}
    WHERE ${name} MATCH (SELECT ${sql.raw(text)} FROM asked) AND ${where}
    ORDER BY ${name}.rowid ${end}`;
  return sql`
    whole AS MATERIALIZED (${walk("whole", limitTo(limit))}),
    others AS MATERIALIZED (${walk("others", sql`${limitTo(limit)} - (SELECT count(*) FROM whole)`)}),
    found(place, key) AS MATERIALIZED (SELECT 0, key FROM whole UNION ALL SELECT 1, key FROM others)`;
}
