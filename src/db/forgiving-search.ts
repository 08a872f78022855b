import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { codePoints } from "../values/text.ts";
import { limitTo } from "./limit.ts";
import { findWords, holdsBeginnings, LOOKED_UP, type Searched } from "./word-search.ts";

/** What is searched forgivingly. */
export interface SearchedForgivingly extends Searched {
  /** The table that holds each word of the index once. */
  vocabulary: SQLiteTable;
  /** The words that a record is found by, with blanks between them: an expression on the record. */
  recordWords: SQL;
  /** Whether the mark of an account may stand for its words. */
  hasMarks?: boolean;
}

export interface Asked {
  /** The words asked for, as a JSON array. */
  words: Placeholder;
  /** Those of them that may be forgiven. */
  forgivable: Placeholder;
  /** Those that the index is asked for if words are forgiven, and the others, which a record found so must hold. */
  lookedUp: Placeholder;
  held: Placeholder;
}

// FTS5 gathers all records with a longer beginning before it finds the first: these are spelled out as whole words.
const LONGEST_BEGINNING = 6;

// The text of the second walk grows with the square of the words: sixteen took 80 ms.
const WALKED_WORDS = 3;

// The lists of all records with such a beginning are long.
const SHORT_LETTERS = 2;

/** Which words the index is asked for where words are forgiven. Of many, the short ones are looked for in what is found. */
export function splitNearWords(words: readonly string[]): { lookedUp: string[]; held: string[] } {
  if (words.length < LOOKED_UP) return { lookedUp: [...words], held: [] };
  const isShort = (word: string) => codePoints(word) <= SHORT_LETTERS;
  return { lookedUp: words.filter((word) => !isShort(word)), held: words.filter(isShort) };
}

/** The rank of records in which one word was forgiven; each more adds one. */
const ONE_FORGIVEN = 2;

// Sorts after every letter and digit.
const LAST = sql`char(1114111)`;

/**
 * For a `WITH` clause, after `askFor…`: `found(rank, key)`, at most `limit` records: those that hold every word whole (rank
 * 0), then those that only begin so (1). If there are none, those in which words are forgiven (2 for one, 3 for two …,
 * docs/contract/interface.md, 4.6). Of one rank, the record stored first comes first.
 *
 * What forgives is one chain behind an `iif`: nothing of it runs if something was found. Each relation of it reads the one
 * before it, and no other: SQLite prepares a relation anew wherever it is read, so that reading two of them twice took half
 * a second.
 */
export function findForgivingly(searched: SearchedForgivingly, asked: Asked, limit: number): SQL {
  const { forgivable, lookedUp } = asked;
  return sql`
    ${findWords(searched, limit)},
    ${findNearWords(searched.vocabulary, forgivable)},
    ${askForNearWords(searched.vocabulary, lookedUp, searched.hasMarks === true)},
    ${findForgiven(searched, asked, limit)},
    found(rank, key) AS MATERIALIZED (
      SELECT 0, key FROM whole
      UNION ALL SELECT 1, key FROM others
      UNION ALL SELECT value ->> 0, value ->> 1 FROM json_each(iif(
        ${forgivable} = '[]' OR EXISTS (SELECT 1 FROM whole) OR EXISTS (SELECT 1 FROM others), '[]',
        (SELECT list FROM forgiven)
      ))
    )`;
}

/** The words asked for that were forgiven in a record of that rank, as a JSON array; NULL where it was found as asked. */
export function forgivenWords(rank: SQL, { words, recordWords }: { words: Placeholder; recordWords: SQL }): SQL {
  return sql`iif(${rank} < ${sql.raw(String(ONE_FORGIVEN))}, NULL, (
    SELECT json_group_array(value) FROM (${notBegun(words, recordWords)})
  ))`;
}

/** A condition on words of a vocabulary. */
function beginsWith(text: SQL): SQL {
  return sql`word >= ${text} AND word < ${text} || ${LAST}`;
}

/** The words asked for that begin no word of a record. */
function notBegun(words: Placeholder, recordWords: SQL): SQL {
  return sql`SELECT value FROM json_each(${words}) WHERE instr(' ' || ${recordWords}, ' ' || value) = 0`;
}

/**
 * `near(asked, text)`: for a word that may be forgiven, what to ask an index for its neighbours: each beginning that is one
 * typo away and that some word has. The vocabulary is walked as a trie: `depth` letters of the word, as far as some word
 * begins so (`letter` is empty), and from each such stem every letter that follows it in some word. So there is no
 * alphabet, and what no word has is not tried.
 */
function findNearWords(vocabulary: SQLiteTable, forgivable: Placeholder): SQL {
  const stem = sql`substr(asked, 1, depth)`;
  const after = sql`${stem} || iif(letter = '', '', letter || ${LAST})`;
  const next = sql`(SELECT min(word) FROM ${vocabulary} WHERE word > ${after} AND word < ${stem} || ${LAST})`;
  const hasNext = sql`depth < length(asked) - 1`;
  return sql`
    walk(asked, depth, letter) AS MATERIALIZED (
      SELECT value, 1, '' FROM json_each(${forgivable})
      UNION ALL
      SELECT asked, depth + 1, '' FROM walk
      WHERE letter = '' AND ${hasNext}
        AND EXISTS (SELECT 1 FROM ${vocabulary} WHERE ${beginsWith(sql`substr(asked, 1, depth + 1)`)})
      UNION ALL
      SELECT asked, depth, substr(${next}, depth + 1, 1) FROM walk WHERE letter IS NOT NULL AND ${hasNext}
    ),
    meant(asked, beginning) AS MATERIALIZED (
      SELECT DISTINCT asked, ${stem} || ${neighbour()}
      FROM walk CROSS JOIN (VALUES (1), (2)) AS way
      WHERE letter IS NOT NULL
    ),
    near(asked, text) AS MATERIALIZED (
      SELECT asked, iif(
        length(beginning) <= ${sql.raw(String(LONGEST_BEGINNING))},
        (SELECT '"' || beginning || '"*' FROM ${vocabulary} WHERE ${beginsWith(sql`beginning`)} LIMIT 1),
        (SELECT group_concat('"' || word || '"', ' OR ') FROM ${vocabulary} WHERE ${beginsWith(sql`beginning`)})
      )
      FROM meant
    )`;
}

/** What may follow a stem in the word that was meant: in two ways where `letter` follows, and in two where none does. */
function neighbour(): SQL {
  const rest = (from: string) => sql.raw(`substr(asked, depth + ${from})`);
  const isFirstWay = sql`way.column1 = 1`;
  const addedOrReplaced = sql`letter || iif(${isFirstWay}, ${rest("1")}, ${rest("2")})`;
  const swapped = sql`substr(asked, depth + 2, 1) || substr(asked, depth + 1, 1) || ${rest("3")}`;
  const swappedOrLeftOut = sql`iif(${isFirstWay}, ${swapped}, ${rest("2")})`;
  // The last letter is left open: where it is left out, another, or comes after one more, the stem before it begins the word.
  return sql`iif(depth = length(asked) - 1, '', iif(letter <> '', ${addedOrReplaced}, ${swappedOrLeftOut}))`;
}

/**
 * `forgiving(least, walks, sorted)`: what to ask the index. `least` words begin no word of it: these have to be forgiven. So
 * the first walk is for records in which only these are, the second for those with one more; nothing matches as asked, so
 * that neither need say that a forgiven word does not. All others are the third walk if they have two more, because no more
 * can be; otherwise they have to be `sorted`. Where many words are asked for, few records have all, and all are sorted.
 */
function askForNearWords(vocabulary: SQLiteTable, words: Placeholder, hasMarks: boolean): SQL {
  const orMarks = (text: string) => sql.raw(hasMarks ? textOrMarks(text) : text);
  return sql`
    neighbours(texts) AS MATERIALIZED (
      SELECT json_group_object(asked, text) FROM (
        SELECT asked, '(' || group_concat(text, ' OR ') || ')' AS text FROM near WHERE text IS NOT NULL GROUP BY asked
      )
      HAVING count(*) > 0
    ),
    plain(at, exact, close, must) AS MATERIALIZED (
      SELECT key, '"' || value || '"*', texts -> value ->> '$',
        texts -> value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${vocabulary} WHERE ${beginsWith(sql`value`)})
      FROM neighbours CROSS JOIN json_each(${words})
    ),
    asking(at, exact, close, must) AS MATERIALIZED (
      SELECT at, iif(must, NULL, ${orMarks("exact")}), ${orMarks("close")}, must FROM plain
    ),
    asking_others(exact, close, must, others) AS MATERIALIZED (
      SELECT exact, close, must, group_concat(iif(must, close, exact), ' AND ') OVER (
        ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW
      )
      FROM asking
    ),
    degrees(asked, least, most, no_more, one_more, every) AS MATERIALIZED (
      SELECT
        count(*), sum(must), count(close),
        iif(sum(must) = 0, '""', group_concat(iif(must, close, exact), ' AND ')),
        group_concat(iif(must, NULL, '(' || close || coalesce(' AND ' || others, '') || ')'), ' OR '),
        group_concat('(' || coalesce(exact || ' OR ' || close, exact, close) || ')', ' AND ')
      FROM asking_others HAVING count(close) > 0
    ),
    forgiving(least, walks, sorted) AS MATERIALIZED (
      SELECT
        least,
        json_array(
          no_more,
          iif(walks > 1, '(' || one_more || ') NOT (' || no_more || ')', '""'),
          iif(walks = 3, rest, '""')
        ),
        iif(
          walks = 1 AND most > least, '(' || every || ') NOT (' || no_more || ')',
          iif(walks = 2 AND most > least + 2, rest, '""')
        )
      FROM (
        SELECT *,
          iif(asked > ${sql.raw(String(WALKED_WORDS))} OR most = least, 1, iif(most = least + 2, 3, 2)) AS walks,
          '(' || every || ') NOT ((' || no_more || ') OR ' || one_more || ')' AS rest
        FROM degrees
      )
    )`;
}

/** A text, or the mark of any account whose words it finds. */
function textOrMarks(text: string): string {
  return `iif(${text} IS NULL, NULL, '(' || ${text} || coalesce((
    SELECT group_concat(' OR "+' || rowid || '"', '') FROM chain_words WHERE chain_words MATCH ${text}
  ), '') || ')')`;
}

/**
 * `forgiven(list)`: what is found so, as a JSON array of ranks and keys. A walk goes by rowid, and stops when it has enough;
 * what has to be sorted is read as a whole. Each only if the ones before have found too few.
 */
function findForgiven(
  { index, record, where, recordWords }: SearchedForgivingly,
  { words, held }: Asked,
  limit: number,
): SQL {
  const name = sql.raw(index);
  const [exact, all] = [sql.raw(String(ONE_FORGIVEN - 1)), sql.raw(String(limit))];
  const found = (rank: SQL, text: SQL, order: SQL) => sql`
    SELECT ${rank} AS rank, ${name}.rowid AS key FROM ${name} ${record}
    WHERE ${name} MATCH ${text} AND ${where} AND ${holdsBeginnings(held, recordWords)}
    ORDER BY ${order} ${limitTo(limit)}`;
  const more = (list: SQL) => sql`(
    SELECT json_group_array(json_array(rank, key)) FROM (
      SELECT value ->> 0 AS rank, value ->> 1 AS key FROM json_each(list)
      UNION ALL SELECT * FROM (${list})
      ORDER BY rank, key ${limitTo(limit)}
    )
  )`;
  const counted = sql`${exact} + (SELECT count(*) FROM (${notBegun(words, recordWords)}))`;
  return sql`
    walked(walk, list, least, walks, sorted) AS MATERIALIZED (
      SELECT 0, '[]', least, walks, sorted FROM forgiving
      UNION ALL
      SELECT walk + 1, ${more(found(sql`${exact} + least + walk`, sql`walks ->> walk`, sql`key`))}, least, walks, sorted
      FROM walked WHERE walk < 3 AND json_array_length(list) < ${all}
    ),
    last_walk(list, sorted) AS MATERIALIZED (SELECT list, sorted FROM walked ORDER BY walk DESC ${limitTo(1)}),
    forgiven(list) AS MATERIALIZED (
      SELECT iif(sorted = '""' OR json_array_length(list) >= ${all}, list, ${more(found(counted, sql`sorted`, sql`rank, key`))})
      FROM last_walk
    )`;
}
