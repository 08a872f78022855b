import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { limitTo } from "./limit.ts";
import { LONGEST_BEGINNING, notBegun, type Searched, walk } from "./word-search.ts";

// Of a word asked for, so many words that begin with it are spelled out: FTS5 walks them, and gathers a long beginning.
const SPELLED_OUT = 5;
// Of records that are sorted by how many words were forgiven in them, so many are looked at: those first stored.
const SORTED = 2_000;

// Sorts after every letter and digit.
const LAST = sql`char(1114111)`;

/**
 * A query for the `word`, and `exact` and `neighbours`, JSON arrays of texts for FTS5, of each word that may be forgiven.
 * Long beginnings are spelled out as whole words. The vocabulary is walked as a trie: `depth` letters of the word, as far
 * as some word begins so (`letter` is empty), and from each such stem every letter that follows it in some word. So there
 * is no alphabet, and what no word has is not tried. The rows of the walk come in the order in which they were found, so
 * all words and stems share the steps.
 */
export function findNear(
  vocabulary: SQLiteTable,
  { forgivable, steps, neighbours }: Record<"forgivable" | "steps" | "neighbours", Placeholder>,
): SQL {
  const begins = (text: SQL) =>
    sql`EXISTS (SELECT 1 FROM ${vocabulary} WHERE word >= ${text} AND word < ${text} || ${LAST})`;
  const stem = sql`substr(asked, 1, depth)`;
  const after = sql`${stem} || iif(letter = '', '', letter || ${LAST})`;
  const next = sql`(SELECT min(word) FROM ${vocabulary} WHERE word > ${after} AND word < ${stem} || ${LAST})`;
  const begun = sql`SELECT word FROM ${vocabulary} WHERE word >= forgivable.value AND word < forgivable.value || ${LAST}`;
  const isShort = sql`length(beginning) <= ${sql.raw(String(LONGEST_BEGINNING))}`;
  // Of a short beginning one word is enough, of a long one all are read.
  const lastWord = sql`iif(${isShort}, (SELECT min(word) FROM ${vocabulary} WHERE word >= beginning), beginning || ${LAST})`;
  return sql`
    WITH walk(asked, depth, letter) AS (
      SELECT value, 1, '' FROM json_each(${forgivable})
      UNION ALL
      SELECT asked, depth + 1, '' FROM walk
      WHERE letter = '' AND depth < length(asked) - 1 AND ${begins(sql`substr(asked, 1, depth + 1)`)}
      UNION ALL
      SELECT asked, depth, substr(${next}, depth + 1, 1) FROM walk
      WHERE letter IS NOT NULL AND depth < length(asked) - 1
      ${limitTo(steps)}
    ),
    meant(asked, beginnings) AS MATERIALIZED (
      SELECT asked, rtrim(group_concat(iif(${begins(sql`one`)}, one || ' ', '') || iif(${begins(sql`other`)}, other || ' ', ''), ''))
      FROM (
        SELECT asked, ${stem} || ${restOf("one")} AS one, ${stem} || ${restOf("other")} AS other
        FROM walk WHERE letter IS NOT NULL
      )
      GROUP BY asked
    )
    SELECT
      forgivable.value AS word,
      iif(
        (SELECT count(*) FROM (${begun} ${limitTo(SPELLED_OUT + 1)})) > ${sql.raw(String(SPELLED_OUT))},
        json_array('"' || forgivable.value || '"*'),
        (SELECT json_group_array('"' || word || '"') FROM (${begun}))
      ) AS exact,
      (SELECT json_group_array(term) FROM (
        SELECT iif(${isShort}, '"' || beginning || '"*', '"' || word || '"') AS term
        FROM (
          SELECT DISTINCT value AS beginning
          FROM json_each('["' || replace(nullif(meant.beginnings, ''), ' ', '","') || '"]')
          ORDER BY value
        ) CROSS JOIN ${vocabulary} ON word >= beginning AND word <= ${lastWord}
        ${limitTo(neighbours)}
      )) AS neighbours
    FROM json_each(${forgivable}) AS forgivable LEFT JOIN meant ON meant.asked = forgivable.value`;
}

/** What may follow a stem in the word that was meant: in two ways where `letter` follows, and in two where none does. */
function restOf(way: "one" | "other"): SQL {
  const rest = (from: number) => `substr(asked, depth + ${from})`;
  const isOne = way === "one";
  const addedOrReplaced = `letter || ${rest(isOne ? 1 : 2)}`;
  const swapped = `substr(asked, depth + 2, 1) || substr(asked, depth + 1, 1) || ${rest(3)}`;
  const swappedOrLeftOut = isOne ? swapped : rest(2);
  // The last letter is left open: where it is left out, another, or comes after one more, the stem before it begins the word.
  return sql.raw(`iif(depth = length(asked) - 1, '', iif(letter <> '', ${addedOrReplaced}, ${swappedOrLeftOut}))`);
}

/**
 * For a `WITH` clause: `found(rank, key, forgiven)`, at most `limit` records with all words, as they are or forgiven: those with
 * fewer forgiven words first, then in the order first stored. `forgiven` is a JSON array. The index is asked for `more` only if
 * it has too few for `least`.
 */
export function findForgiven(
  searched: Searched,
  { least, more, words }: Record<"least" | "more" | "words", Placeholder>,
  limit: number,
): SQL {
  const ifFew = sql`LIMIT iif((SELECT count(*) FROM least) < ${sql.raw(String(limit))}, ${sql.raw(String(SORTED))}, 0)`;
  return sql`
    least AS MATERIALIZED (${walk(searched, least, limitTo(limit))}),
    more AS MATERIALIZED (${walk(searched, more, ifFew)}),
    found(rank, key, forgiven) AS MATERIALIZED (
      SELECT json_array_length(forgiven) AS rank, key, forgiven FROM (
        SELECT candidate.key, (SELECT json_group_array(value) FROM (${notBegun(searched.recordWords, words)})) AS forgiven
        FROM (SELECT key FROM least UNION SELECT key FROM more) AS candidate ${searched.record(sql`candidate.key`)}
      )
      ORDER BY rank, key ${limitTo(limit)}
    )`;
}
