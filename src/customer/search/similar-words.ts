import { and, or, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { RowOf } from "../../db/database.ts";
import { eachWord, isIndexed, VOCABULARIES, type Vocabulary } from "../../db/derived/vocabularies.ts";
import { limitTo, selectWith } from "../../db/select.ts";
import type { SearchList } from "./schema.ts";
import { LONGEST_BEGINNING } from "./terms.ts";

// A vocabulary holds each word of some indexes once, so the words one typo away are looked up there. Each look-up has a limit,
// because a feed may hold any names.

/** The most rows of stems and letters that a search finds in its vocabularies. */
const MOST_STEMS = 1_500;
/** The most words of the vocabularies that are tried as similar words. */
const MOST_TRIED = 600;
// The most similar words that a search looks up: for one word, and for all words in all lists. Each costs FTS5 3 µs a segment.
const NEIGHBOURS = 200;
const ALL_NEIGHBOURS = 600;
/**
 * If at most this many words begin with a word of the query, FTS5 gets these words instead of the beginning. For a long
 * beginning, FTS5 gathers all records first.
 */
const MOST_SPELLED_OUT = 5;

/** The indexes that may have lost a word of a vocabulary. A word of customers leaves theirs with its last entry. */
const INDEXES_OF = { merchant: ["store_words", "campaign_words"], customer: [] };

export function vocabularyFor(list: SearchList): Vocabulary {
  return list === "customers" ? "customer" : "merchant";
}

/** One statement for each vocabulary of these lists. It finds the words that are similar to each forgivable word. */
export function readSimilarWords(forgivable: readonly string[], lists: readonly SearchList[]) {
  const vocabularies = [...new Set(lists.map(vocabularyFor))];
  const values = {
    forgivable: JSON.stringify(forgivable),
    stems: Math.floor(MOST_STEMS / vocabularies.length),
    tried: Math.floor(MOST_TRIED / vocabularies.length),
    neighbours: Math.min(NEIGHBOURS, Math.floor(ALL_NEIGHBOURS / (forgivable.length * lists.length))),
  };
  return vocabularies.map((vocabulary) => selectSimilarWords({ vocabulary }, values));
}

/** A word of the query and similar words, with blanks between them. A beginning ends with `*`. Null: there are none. */
export type SimilarWords = RowOf<ReturnType<typeof selectSimilarWords>>;

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
  (shape: { vocabulary: Vocabulary }, placeholder: PlaceholderOf<"forgivable" | "stems" | "tried" | "neighbours">) => {
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
    // FTS5 finds a short beginning itself, so its first word is enough. Of long ones, each gets a turn for its next word.
    const tried = sql`
      guess(asked, beginning) AS MATERIALIZED (
        SELECT DISTINCT asked, value FROM meant CROSS JOIN ${eachWord(sql`beginnings`)} WHERE beginnings <> ''
      ),
      tried(asked, beginning, turn, found) AS (
        SELECT asked, beginning, 1, (SELECT min(${word}) FROM ${vocabulary} WHERE ${word} >= beginning) FROM guess
        UNION ALL
        SELECT asked, beginning, turn + 1, (
          SELECT min(${word}) FROM ${vocabulary} WHERE ${word} > found AND ${word} < beginning || ${LAST}
        )
        FROM tried WHERE found IS NOT NULL AND NOT ${isShort}
        ORDER BY 3, 2 ${limitTo(placeholder("tried"))}
      )`;
    const indexes = INDEXES_OF[shape.vocabulary];
    const has = (text: SQL, star: "" | "*" = "") => or(...indexes.map((index) => isIndexed(index, text, star)));
    const isLeft =
      indexes.length > 0 ? sql`iif(${isShort}, ${has(sql`beginning`, "*")}, ${has(sql`found`)})` : undefined;
    return selectWith(
      sql`${walk}, ${tried}`,
      {
        vocabulary: sql<Vocabulary>`${sql.raw(`'${shape.vocabulary}'`)}`,
        word: sql<string>`meant.asked`,
        /** The words that begin with it, or only the beginning if they are many. Null: the word has to be forgiven. */
        exact: sql<string | null>`(
          SELECT iif(count(*) > ${sql.raw(String(MOST_SPELLED_OUT))}, meant.asked || '*', group_concat(word, ' '))
          FROM (
            SELECT ${word} FROM ${vocabulary} WHERE ${word} >= meant.asked AND ${word} < meant.asked || ${LAST}
            ${limitTo(MOST_SPELLED_OUT + 1)}
          )
        )`,
        /** The words with beginnings that are one typo away. Words that no record has any more do not count. */
        similar: sql<string | null>`iif(meant.beginnings = '', NULL, (SELECT group_concat(term, ' ') FROM (
          SELECT iif(${isShort}, beginning || '*', found) AS term FROM tried
          WHERE ${and(sql`tried.asked = meant.asked AND found IS NOT NULL`, isLeft)}
          ORDER BY turn, beginning ${limitTo(placeholder("neighbours"))}
        )))`,
      },
      sql`FROM meant`,
    );
  },
);
