import { type SQL, sql } from "drizzle-orm";
import { compilePer, type Value } from "../../db/database.ts";
import { limitTo, selectWith } from "../../db/select.ts";
import { customerVocabulary, merchantVocabulary } from "../../db/tables.ts";
import type { SearchList } from "./schema.ts";
import { asBeginnings, LONGEST_BEGINNING, matching, notBegun, type WordIndex } from "./word-index.ts";

// A search that found nothing is made once more with typos forgiven (docs/contract/interface.md, 4.6): a vocabulary, the
// words of indexes each once, says what the words may have been meant for. Each step has a bound, because whoever feeds
// names decides what it holds.

const FORGIVABLE = /^\p{L}{5,}$/u;

/** Whether a typo in a word is forgiven: a shorter one, or a number, is like too many others. */
export function isForgivable(word: string): boolean {
  return FORGIVABLE.test(word);
}

/** The steps that all lists of a search take along their vocabularies together. */
const WALK_STEPS = 1_500;
/** The neighbours of a word that are tried, and those of all words in all lists: each costs FTS5 3 µs a segment. */
const NEIGHBOURS = 200;
const ALL_NEIGHBOURS = 600;
// Of a word asked for, so many words that begin with it are spelled out: FTS5 walks them, and gathers a long beginning.
const SPELLED_OUT = 5;
// Of records that are sorted by how many words were forgiven in them, so many are looked at: those first stored.
const SORTED = 2_000;

const VOCABULARIES = { merchants: merchantVocabulary, customers: customerVocabulary };
type VocabularyName = keyof typeof VOCABULARIES;

function vocabularyOf(list: SearchList): VocabularyName {
  return list === "customers" ? "customers" : "merchants";
}

/** What the vocabularies of these lists have of each word, in rows of `NearWord`. */
export function readNear(forgivable: readonly string[], lists: readonly SearchList[]) {
  const vocabularies = [...new Set(lists.map(vocabularyOf))];
  const values = {
    forgivable: JSON.stringify(forgivable),
    steps: Math.floor(WALK_STEPS / vocabularies.length),
    neighbours: Math.min(NEIGHBOURS, Math.floor(ALL_NEIGHBOURS / (forgivable.length * lists.length))),
  };
  return vocabularies.map((vocabulary) => NEAR({ vocabulary }, values));
}

/** A word asked for, and what a vocabulary has of it: texts for FTS5, null where there is nothing. */
interface NearWord {
  vocabulary: VocabularyName;
  word: string;
  /** The words that begin so, or the beginning where they are many. Null: the word has to be forgiven. */
  exact: string | null;
  /** The beginnings that are one typo away. */
  neighbours: string | null;
}

/** What the index of a list is asked; `""` finds nothing. */
export interface ForgivingTexts {
  /** For records in which only those words are forgiven that begin none of the vocabulary. */
  least: string;
  /** For those in which others may be forgiven too. */
  more: string;
}

const NOTHING = '""';

/** What to ask the index of a list, by what the vocabularies have of the words; null where no record can have them. */
export function forgive(words: readonly string[], near: readonly NearWord[], list: SearchList): ForgivingTexts | null {
  const own = near.filter(({ vocabulary }) => vocabulary === vocabularyOf(list));
  const of = new Map(own.map((one) => [one.word, one]));
  const choices = words.map((word) => of.get(word) ?? { exact: asBeginnings([word]), neighbours: null });
  if (choices.every(({ neighbours }) => neighbours === null)) return null;
  if (choices.some(({ exact, neighbours }) => exact === null && neighbours === null)) return null;
  const all = (texts: (string | null)[]) => texts.map((text) => `(${text})`).join(" AND ");
  const least = all(choices.map(({ exact, neighbours }) => exact ?? neighbours));
  const more = all(choices.map(({ exact, neighbours }) => [exact, neighbours].filter(Boolean).join(" OR ")));
  const isAllKnown = choices.every(({ exact }) => exact !== null);
  return { least: isAllKnown ? NOTHING : least, more: more === least ? NOTHING : more };
}

/**
 * For a `WITH` clause: `found(rank, key, account_key, forgiven)`, at most `limit` records with all words, as they are or
 * forgiven: those with fewer forgiven words first, then in the order first stored. `forgiven` is a JSON array. The index is
 * asked for `more` only if it has too few for `least`.
 */
export function findForgiven(index: WordIndex, value: Value<keyof ForgivingTexts | "words">, limit: number): SQL {
  const ifFew = sql`LIMIT iif((SELECT count(*) FROM least) < ${sql.raw(String(limit))}, ${sql.raw(String(SORTED))}, 0)`;
  return sql`
    least AS MATERIALIZED (${matching(index, value("least"), limitTo(limit))}),
    more AS MATERIALIZED (${matching(index, value("more"), ifFew)}),
    found(rank, key, account_key, forgiven) AS MATERIALIZED (
      SELECT json_array_length(forgiven) AS rank, key, account_key, forgiven FROM (
        SELECT candidate.key, ${index.accountKey} AS account_key,
          (SELECT json_group_array(value) FROM (${notBegun(index.words, value("words"))})) AS forgiven
        FROM (SELECT key FROM least UNION SELECT key FROM more) AS candidate ${index.record(sql`candidate.key`)}
      )
      ORDER BY rank, key ${limitTo(limit)}
    )`;
}

// Sorts after every letter and digit.
const LAST = sql`char(1114111)`;

/**
 * The vocabulary is walked as a trie: `depth` letters of the word, as far as some word begins so (`letter` is empty), and
 * from each such stem every letter that follows it in some word. So there is no alphabet, and what no word has is not
 * tried. The rows of the walk come in the order in which they were found, so all words and stems share the steps. The
 * letter that the word itself has there is of no use: twice it is what it is twice one place later.
 */
const NEAR = compilePer(
  (shape: { vocabulary: VocabularyName }, value: Value<"forgivable" | "steps" | "neighbours">): SQL<NearWord> => {
    const vocabulary = VOCABULARIES[shape.vocabulary];
    const { word } = vocabulary;
    const begins = (text: SQL) =>
      sql`EXISTS (SELECT 1 FROM ${vocabulary} WHERE ${word} >= ${text} AND ${word} < ${text} || ${LAST})`;
    const stem = sql`substr(asked, 1, depth)`;
    const after = sql`${stem} || iif(letter = '', '', letter || ${LAST})`;
    const next = sql`(SELECT min(${word}) FROM ${vocabulary} WHERE ${word} > ${after} AND ${word} < ${stem} || ${LAST})`;
    const walked = sql`
      walk(asked, depth, letter) AS (
        SELECT value, 1, '' FROM json_each(${value("forgivable")})
        UNION ALL
        SELECT asked, depth + 1, '' FROM walk
        WHERE letter = '' AND depth < length(asked) - 1 AND ${begins(sql`substr(asked, 1, depth + 1)`)}
        UNION ALL
        SELECT asked, depth, substr(${next}, depth + 1, 1) FROM walk
        WHERE letter IS NOT NULL AND depth < length(asked) - 1
        ${limitTo(value("steps"))}
      ),
      meant(asked, beginnings) AS MATERIALIZED (
        SELECT asked, rtrim(group_concat(iif(${begins(sql`one`)}, one || ' ', '') || iif(${begins(sql`other`)}, other || ' ', ''), ''))
        FROM (
          SELECT asked, ${stem} || ${restOf("one")} AS one, ${stem} || ${restOf("other")} AS other
          FROM walk WHERE letter <> substr(asked, depth + 1, 1)
        )
        GROUP BY asked
      )`;
    const isShort = sql`length(beginning) <= ${sql.raw(String(LONGEST_BEGINNING))}`;
    // Of a short beginning one word is enough, of a long one all are read.
    const lastWord = sql`iif(${isShort}, (SELECT min(${word}) FROM ${vocabulary} WHERE ${word} >= beginning), beginning || ${LAST})`;
    return selectWith(
      walked,
      {
        vocabulary: sql<VocabularyName>`${sql.raw(`'${shape.vocabulary}'`)}`,
        word: sql<string>`meant.asked`,
        exact: sql<string | null>`(
          SELECT iif(count(*) > ${sql.raw(String(SPELLED_OUT))}, '"' || meant.asked || '"*', group_concat('"' || word || '"', ' OR '))
          FROM (
            SELECT ${word} FROM ${vocabulary} WHERE ${word} >= meant.asked AND ${word} < meant.asked || ${LAST}
            ${limitTo(SPELLED_OUT + 1)}
          )
        )`,
        neighbours: sql<string | null>`(SELECT group_concat(term, ' OR ') FROM (
          SELECT iif(${isShort}, '"' || beginning || '"*', '"' || ${word} || '"') AS term
          FROM (
            SELECT DISTINCT value AS beginning
            FROM json_each('["' || replace(nullif(meant.beginnings, ''), ' ', '","') || '"]')
            ORDER BY value
          ) CROSS JOIN ${vocabulary} ON ${word} >= beginning AND ${word} <= ${lastWord}
          ${limitTo(value("neighbours"))}
        ))`,
      },
      sql`FROM meant`,
    );
  },
);

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
