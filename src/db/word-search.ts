import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { limitTo } from "./limit.ts";

// A word is letters and digits only, so inside quotes it is nothing but text to FTS5.
const QUOTED = `'"' || value || '"'`;
const QUOTED_BEGINNING = `${QUOTED} || '*'`;

/** What an index of words is asked: `whole` for records that hold every word, `others` for those that only begin so. */
function texts(all: (one: string) => SQL): SQL {
  return sql`asked(whole, others) AS MATERIALIZED (
    SELECT whole, '(' || beginning || ') NOT (' || whole || ')'
    FROM (SELECT ${all(QUOTED)} AS whole, ${all(QUOTED_BEGINNING)} AS beginning)
  )`;
}

/** For a `WITH` clause: what to ask an index whose entries hold all words of their record. `words` is a JSON array. */
export function askForWords(words: Placeholder): SQL {
  return texts((one) => sql`(SELECT group_concat(${sql.raw(one)}, ' AND ') FROM json_each(${words}))`);
}

/** The same for an index in which the mark of an account may stand for its words. */
export function askForWordsOrMarks(words: Placeholder): SQL {
  return texts(
    (one) => sql`(
    SELECT group_concat('(' || text || coalesce(marks, '') || ')', ' AND ') FROM (
      SELECT text, (
        SELECT group_concat(' OR "+' || rowid || '"', '') FROM chain_words WHERE chain_words MATCH text
      ) AS marks
      FROM (SELECT ${sql.raw(one)} AS text FROM json_each(${words}))
    )
  )`,
  );
}

/** What is searched: an index of words, the record that an entry stands for, and which records may be found. */
export interface Searched {
  index: string;
  /** Joins the record to the index by its key. */
  record: SQL;
  /** Which records may be found: the others do not count towards the limit. */
  where: SQL;
}

/**
 * For a `WITH` clause, after `askFor…`: `whole(key)`, the records that hold every word whole, and `others(key)`, at most
 * `limit` together, each in the order first stored. Two walks along the index, by rowid, that stop when they have enough,
 * so that their cost follows what is found.
 */
export function findWords({ index, record, where }: Searched, limit: number): SQL {
  const name = sql.raw(index);
  const walk = (text: "whole" | "others", end: SQL) => sql`
    SELECT ${name}.rowid AS key FROM ${name} ${record}
    WHERE ${name} MATCH (SELECT ${sql.raw(text)} FROM asked) AND ${where}
    ORDER BY ${name}.rowid ${end}`;
  return sql`
    whole AS MATERIALIZED (${walk("whole", limitTo(limit))}),
    others AS MATERIALIZED (${walk("others", sql`${limitTo(limit)} - (SELECT count(*) FROM whole)`)})`;
}
