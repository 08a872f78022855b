import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { limitTo } from "./limit.ts";

// A word is letters and digits only, so inside quotes it is nothing but text to FTS5.
const QUOTED = `'"' || value || '"'`;
const QUOTED_BEGINNING = `${QUOTED} || '*'`;

/** What a search looks for, as JSON arrays of folded words. */
export interface Words {
  /** All of them: a record that holds each of them whole comes first. */
  whole: Placeholder;
  /** Those that some word of a record must begin with. */
  beginnings: Placeholder;
}

/**
 * The words that no other one begins with: a record with a word that begins with `ali` has one that begins with `a` and
 * with `al`. Each of those that are left begins another word of the record.
 */
export function withoutBeginnings(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/** What an index of words is asked: `whole` for records that hold every word, `others` for those that only begin so. */
function ask(whole: SQL, beginnings: SQL): SQL {
  const all = (texts: SQL) => sql`(SELECT group_concat(text, ' AND ') FROM (${texts}))`;
  return sql`asked(whole, others) AS MATERIALIZED (
    SELECT whole, '(' || beginning || ') NOT (' || whole || ')'
    FROM (SELECT ${all(whole)} AS whole, ${all(beginnings)} AS beginning)
  )`;
}

function texts(words: Placeholder, one: string): SQL {
  return sql`SELECT ${sql.raw(one)} AS text FROM json_each(${words})`;
}

/** The same where the mark of an account may stand for its words: the texts, and the marks of those that it stands for. */
function textsAndMarks(words: Placeholder, one: string): SQL {
  return sql`SELECT text, coalesce((
      SELECT group_concat(' OR "+' || rowid || '"', '') FROM chain_words WHERE chain_words MATCH text
    ), '') AS marks
    FROM (${texts(words, one)})`;
}

function textsWithMarks(textsAndMarks: SQL): SQL {
  return sql`SELECT '(' || text || marks || ')' AS text FROM ${textsAndMarks}`;
}

/** For a `WITH` clause: what to ask an index whose entries hold all words of their record. */
export function askForWords({ whole, beginnings }: Words): SQL {
  return ask(texts(whole, QUOTED), texts(beginnings, QUOTED_BEGINNING));
}

/** The same for an index in which the mark of an account may stand for its words. */
export function askForWordsOrMarks({ whole, beginnings }: Words): SQL {
  return ask(
    textsWithMarks(sql`(${textsAndMarks(whole, QUOTED)})`),
    textsWithMarks(sql`(${textsAndMarks(beginnings, QUOTED_BEGINNING)})`),
  );
}

/**
 * How many beginnings are looked up at most. FTS5 goes through all records of each, a million of them in 20 ms, and after
 * the rarest four few records are left that do not hold the others too.
 */
export const LOOKED_UP = 4;
const SAMPLE = 100;
// Each mark has its own list to go through: ten of them, of some nine letters, double what a beginning costs.
const LETTERS_OF_TEN_MARKS = 90;

/**
 * The same for more than `LOOKED_UP` beginnings: asks for the rarest, so `holdsBeginnings` must say of each record found
 * whether it holds the others. A beginning counts as the rarer the later its hundredth record was stored, which is known
 * without going through all of them.
 */
export function askForRarestOrMarks({ whole, beginnings }: Words, index: string): SQL {
  const name = sql.raw(index);
  const hundredth = sql`SELECT rowid FROM ${name} WHERE ${name} MATCH text
    ORDER BY rowid LIMIT 1 OFFSET ${sql.raw(String(SAMPLE - 1))}`;
  const cost = sql`(1 + length(marks) / ${sql.raw(LETTERS_OF_TEN_MARKS.toFixed(1))})`;
  return sql`
    beginnings AS MATERIALIZED (${textsAndMarks(beginnings, QUOTED_BEGINNING)}),
    rarest AS MATERIALIZED (
      SELECT text, marks FROM beginnings ORDER BY coalesce((${hundredth}), 9e18) / ${cost} DESC ${limitTo(LOOKED_UP)}
    ),
    ${ask(textsWithMarks(sql`(${textsAndMarks(whole, QUOTED)})`), textsWithMarks(sql`rarest`))}`;
}

/** Whether some word of each beginning is among those of a record: `held`, with blanks between them. */
export function holdsBeginnings(beginnings: Placeholder, held: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${beginnings}) WHERE instr(' ' || ${held}, ' ' || value) = 0)`;
}

/** What is searched: an index of words, the record that an entry stands for, and which records may be found. */
export interface Searched {
  index: string;
  /** Joins the record to the index by its key. */
  record: SQL;
  /** Which records may be found: the others do not count towards the limit. */
  where: SQL;
  /** What a record that was looked up by some of the words must hold besides. */
  holds?: SQL | undefined;
}

/**
 * For a `WITH` clause, after `askFor…`: `whole(key)`, the records that hold every word whole, and `others(key)`, at most
 * `limit` together, each in the order first stored. Two walks along the index, by rowid, that stop when they have enough,
 * so that their cost follows what is found.
 */
export function findWords({ index, record, where, holds = sql`true` }: Searched, limit: number): SQL {
  const name = sql.raw(index);
  const walk = (text: "whole" | "others", end: SQL) => sql`
    SELECT ${name}.rowid AS key FROM ${name} ${record}
    WHERE ${name} MATCH (SELECT ${sql.raw(text)} FROM asked) AND ${where} AND ${holds}
    ORDER BY ${name}.rowid ${end}`;
  return sql`
    whole AS MATERIALIZED (${walk("whole", limitTo(limit))}),
    others AS MATERIALIZED (${walk("others", sql`${limitTo(limit)} - (SELECT count(*) FROM whole)`)})`;
}
