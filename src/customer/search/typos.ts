import { type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { RowOf } from "../../db/database.ts";
import { VOCABULARIES, type Vocabulary } from "../../db/derived/vocabularies.ts";
import { limitTo, selectWith } from "../../db/select.ts";
import type { SearchList } from "./schema.ts";
import { asBeginnings, LONGEST_BEGINNING, missingWords, selectMatches, type WordIndex } from "./word-index.ts";

// A search that finds nothing is repeated with typos forgiven (docs/contract/interface.md, 4.6). A vocabulary holds each word
// of some indexes once, so the words one typo away are looked up there. Each look-up has a bound, because a feed may hold any
// names.

const FORGIVABLE = /^\p{L}{5,}$/u;

/** Whether a typo in a word is forgiven. A shorter word, or a number, is one typo away from too many others. */
export function isForgivable(word: string): boolean {
  return FORGIVABLE.test(word);
}

/** The most rows of stems and letters that a search finds in its vocabularies. */
const MOST_STEMS = 1_500;
// The most similar words that are tried: for one word, and for all words in all lists. Each costs FTS5 3 µs a segment.
const NEIGHBOURS = 200;
const ALL_NEIGHBOURS = 600;
/**
 * If at most this many words begin with a word of the query, FTS5 gets these words instead of the beginning. For a long
 * beginning, FTS5 gathers all records first.
 */
const MOST_SPELLED_OUT = 5;
/** The most records that are sorted by the number of their forgiven words. They are the first ones stored. */
const SORTED = 2_000;

function vocabularyFor(list: SearchList): Vocabulary {
  return list === "customers" ? "customer" : "merchant";
}

/** One statement for each vocabulary of these lists. It finds the words that are similar to each forgivable word. */
export function readSimilarWords(forgivable: readonly string[], lists: readonly SearchList[]) {
  const vocabularies = [...new Set(lists.map(vocabularyFor))];
  const values = {
    forgivable: JSON.stringify(forgivable),
    stems: Math.floor(MOST_STEMS / vocabularies.length),
    neighbours: Math.min(NEIGHBOURS, Math.floor(ALL_NEIGHBOURS / (forgivable.length * lists.length))),
  };
  return vocabularies.map((vocabulary) => selectSimilarWords({ vocabulary }, values));
}

/** A word of the query and FTS5 expressions for similar words. An expression is null if there is no such word. */
type SimilarWords = RowOf<ReturnType<typeof selectSimilarWords>>;

/** Two FTS5 expressions for the index of a list. `""` finds nothing. */
export interface TypoExpressions {
  /** Forgives only words that begin no word of the vocabulary. */
  strict: string;
  /** Forgives other words too. */
  lenient: string;
}

const NOTHING = '""';

/** The expressions for a list, from its vocabulary; null if no record can have the words. */
export function typoExpressions(
  words: readonly string[],
  similar: readonly SimilarWords[],
  list: SearchList,
): TypoExpressions | null {
  const own = similar.filter(({ vocabulary }) => vocabulary === vocabularyFor(list));
  const choices = words.map(
    (word) => own.find((row) => row.word === word) ?? { exact: asBeginnings([word]), neighbours: null },
  );
  if (choices.every(({ neighbours }) => neighbours === null)) return null;
  if (choices.some(({ exact, neighbours }) => exact === null && neighbours === null)) return null;
  const all = (texts: (string | null)[]) => texts.map((text) => `(${text})`).join(" AND ");
  const strict = all(choices.map(({ exact, neighbours }) => exact ?? neighbours));
  const lenient = all(choices.map(({ exact, neighbours }) => [exact, neighbours].filter(Boolean).join(" OR ")));
  const isAllKnown = choices.every(({ exact }) => exact !== null);
  return { strict: isAllKnown ? NOTHING : strict, lenient: lenient === strict ? NOTHING : lenient };
}

/**
 * For a `WITH` clause: `found(rank, key, forgiven)`, at most `limit` records with all words, as they are or forgiven. Fewer
 * forgiven words first, then in the order first stored. `forgiven` is a JSON array. The lenient expression is looked up only
 * if the strict one finds too few.
 */
export function findWithTypos(
  index: WordIndex,
  placeholder: PlaceholderOf<keyof TypoExpressions | "words">,
  limit: number,
): SQL {
  const ifFew = sql`LIMIT iif((SELECT count(*) FROM strict) < ${sql.raw(String(limit))}, ${sql.raw(String(SORTED))}, 0)`;
  return sql`
    strict AS MATERIALIZED (${selectMatches(index, placeholder("strict"), limitTo(limit))}),
    lenient AS MATERIALIZED (${selectMatches(index, placeholder("lenient"), ifFew)}),
    found(rank, key, forgiven) AS MATERIALIZED (
      SELECT json_array_length(forgiven) AS rank, key, forgiven FROM (
        SELECT candidate.key, (SELECT json_group_array(value) FROM (${missingWords(index.words, placeholder("words"))})) AS forgiven
        FROM (SELECT key FROM strict UNION SELECT key FROM lenient) AS candidate ${index.joinRecord(sql`candidate.key`)}
      )
      ORDER BY rank, key ${limitTo(limit)}
    )`;
}

// This character sorts after every letter and digit.
const LAST = sql`char(1114111)`;

// What follows the stem in the word that was meant, for each kind of typo. `substr` counts from 1.
const ADDED = "letter || substr(asked, depth + 1)";
const REPLACED = "letter || substr(asked, depth + 2)";
const SWAPPED = "substr(asked, depth + 2, 1) || substr(asked, depth + 1, 1) || substr(asked, depth + 3)";
const LEFT_OUT = "substr(asked, depth + 2)";

/** A beginning of the word that was meant. If the typo is in the last letter, the stem before it is such a beginning. */
function beginningMeant(withLetter: string, withoutLetter: string): SQL {
  const rest = `iif(depth = length(asked) - 1, '', iif(letter <> '', ${withLetter}, ${withoutLetter}))`;
  return sql.raw(`substr(asked, 1, depth) || ${rest}`);
}

/**
 * Walks the vocabulary as a trie. A stem is the first `depth` letters of the word, as long as some word begins with them;
 * its row has an empty `letter`. Then comes a row for each letter that follows the stem in some word, so no alphabet is
 * needed. Rows come in the order in which they were found, so all words and stems share the limit. Skip the word's own
 * letter: doubling it here or one place later gives the same word.
 */
const selectSimilarWords = compilePer(
  "search/similar-words",
  (shape: { vocabulary: Vocabulary }, placeholder: PlaceholderOf<"forgivable" | "stems" | "neighbours">) => {
    const vocabulary = VOCABULARIES[shape.vocabulary];
    const { word } = vocabulary;
    const begins = (text: SQL) =>
      sql`EXISTS (SELECT 1 FROM ${vocabulary} WHERE ${word} >= ${text} AND ${word} < ${text} || ${LAST})`;
    const stem = sql`substr(asked, 1, depth)`;
    const after = sql`${stem} || iif(letter = '', '', letter || ${LAST})`;
    const next = sql`(SELECT min(${word}) FROM ${vocabulary} WHERE ${word} > ${after} AND ${word} < ${stem} || ${LAST})`;
    const walk = sql`
      stem(asked, depth, letter) AS (
        SELECT value, 1, '' FROM json_each(${placeholder("forgivable")})
        UNION ALL
        SELECT asked, depth + 1, '' FROM stem
        WHERE letter = '' AND depth < length(asked) - 1 AND ${begins(sql`substr(asked, 1, depth + 1)`)}
        UNION ALL
        SELECT asked, depth, substr(${next}, depth + 1, 1) FROM stem
        WHERE letter IS NOT NULL AND depth < length(asked) - 1
        ${limitTo(placeholder("stems"))}
      ),
      meant(asked, beginnings) AS MATERIALIZED (
        SELECT asked, rtrim(group_concat(iif(${begins(sql`guess_1`)}, guess_1 || ' ', '') || iif(${begins(sql`guess_2`)}, guess_2 || ' ', ''), ''))
        FROM (
          SELECT asked, ${beginningMeant(ADDED, SWAPPED)} AS guess_1, ${beginningMeant(REPLACED, LEFT_OUT)} AS guess_2
          FROM stem WHERE letter <> substr(asked, depth + 1, 1)
        )
        GROUP BY asked
      )`;
    const isShort = sql`length(beginning) <= ${sql.raw(String(LONGEST_BEGINNING))}`;
    // FTS5 finds a short beginning itself, so one word of the vocabulary is enough. For a long one, all words are read.
    const lastWord = sql`iif(${isShort}, (SELECT min(${word}) FROM ${vocabulary} WHERE ${word} >= beginning), beginning || ${LAST})`;
    return selectWith(
      walk,
      {
        vocabulary: sql<Vocabulary>`${sql.raw(`'${shape.vocabulary}'`)}`,
        word: sql<string>`meant.asked`,
        /** The words that begin with it, or only the beginning if they are many. Null: the word has to be forgiven. */
        exact: sql<string | null>`(
          SELECT iif(count(*) > ${sql.raw(String(MOST_SPELLED_OUT))}, '"' || meant.asked || '"*', group_concat('"' || word || '"', ' OR '))
          FROM (
            SELECT ${word} FROM ${vocabulary} WHERE ${word} >= meant.asked AND ${word} < meant.asked || ${LAST}
            ${limitTo(MOST_SPELLED_OUT + 1)}
          )
        )`,
        /** The beginnings that are one typo away. */
        neighbours: sql<string | null>`(SELECT group_concat(term, ' OR ') FROM (
          SELECT iif(${isShort}, '"' || beginning || '"*', '"' || ${word} || '"') AS term
          FROM (
            SELECT DISTINCT value AS beginning
            FROM json_each('["' || replace(nullif(meant.beginnings, ''), ' ', '","') || '"]')
            ORDER BY value
          ) CROSS JOIN ${vocabulary} ON ${word} >= beginning AND ${word} <= ${lastWord}
          ${limitTo(placeholder("neighbours"))}
        ))`,
      },
      sql`FROM meant`,
    );
  },
);
