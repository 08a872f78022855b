import { type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import { limitTo } from "../../db/select.ts";
import type { AskedWord } from "./asked-words.ts";
import { type ExactSearch, selectIsCut } from "./exact.ts";
import { FOUND_LIMIT, type FoundRow, SELECT_RECORDS } from "./records.ts";
import type { SearchList } from "./schema.ts";
import { type SimilarWords, vocabularyFor } from "./similar-words.ts";
import { beginning, beginnings, matchAll, type Term, textsOf, wholeWord } from "./terms.ts";
import { INDEXES, missingWords, selectMatches } from "./word-index.ts";

// A search that finds nothing is repeated with typos forgiven (docs/contract/interface.md, 4.6).

/** The most records that are sorted by the number of their forgiven words. They are the first ones stored. */
const SORTED = 2_000;

/** The terms for a word of the query: for the word itself, and for the words one typo away. */
interface SimilarTerms {
  exact: readonly Term[];
  similar: readonly Term[];
}

/** A search of a list: terms of which a record must have one for each word. */
export interface TypoSearch {
  list: SearchList;
  choices: readonly SimilarTerms[];
}

/** The search of a list, with similar words from its vocabulary; null if no record can have the words. */
export function typoSearch(
  list: SearchList,
  words: readonly AskedWord[],
  read: readonly SimilarWords[],
): TypoSearch | null {
  const own = read.filter(({ vocabulary }) => vocabulary === vocabularyFor(list));
  const choices = words.map((word) => {
    const row = own.find((other) => other.word === word.text);
    if (row === undefined) return { exact: beginnings(word), similar: [] };
    return { exact: [...toTerms(row.exact), ...word.others.map(beginning)], similar: toTerms(row.similar) };
  });
  const isPossible = choices.every(({ exact, similar }) => exact.length + similar.length > 0);
  return isPossible && choices.some(({ similar }) => similar.length > 0) ? { list, choices } : null;
}

function toTerms(texts: string | null): Term[] {
  const terms = texts?.split(" ") ?? [];
  return terms.map((text) => (text.endsWith("*") ? beginning(text.slice(0, -1)) : wholeWord(text)));
}

const NOTHING = '""';

/** Two FTS5 expressions. `strict` forgives only words that begin no word of the vocabulary, `lenient` also others. */
function expressionsOf({ choices }: TypoSearch) {
  const strict = matchAll(choices.map(({ exact, similar }) => (exact.length > 0 ? exact : similar)));
  const lenient = matchAll(choices.map(({ exact, similar }) => [...exact, ...similar]));
  const isAllKnown = choices.every(({ exact }) => exact.length > 0);
  return { strict: isAllKnown ? NOTHING : strict, lenient: lenient === strict ? NOTHING : lenient };
}

/**
 * The search of a list, and whether it looks at all candidates if the caller may not find some of them.
 * @param hidesMore as `Lengths` says.
 */
export function searchForgivingly(search: TypoSearch, hidesMore: boolean, { words, caller, limits }: ExactSearch) {
  const { list } = search;
  const { candidates } = limits[list];
  const expressions = expressionsOf(search);
  const isCut = selectIsCut({ list, isByText: false }, { text: expressions.lenient, candidates, caller });
  return [
    selectWithTypos({ list }, { ...expressions, candidates, texts: textsOf(words.map(beginnings)), caller }),
    ...(hidesMore ? [isCut] : []),
  ];
}

/**
 * Fewer forgiven words come first, then the order first stored. `forgiven` is a JSON array of positions in the query. The
 * lenient expression is looked up only if the strict one finds too few.
 */
const selectWithTypos = compilePer(
  "search/with-typos",
  (
    { list }: { list: SearchList },
    placeholder: PlaceholderOf<"strict" | "lenient" | "candidates" | "texts" | "caller">,
  ): SQL<FoundRow> => {
    const index = INDEXES[list](placeholder("caller"));
    const candidates = placeholder("candidates");
    const limit = sql.raw(String(FOUND_LIMIT));
    const ifFew = sql`iif((SELECT count(*) FROM strict) < ${limit}, ${sql.raw(String(SORTED))}, 0)`;
    const strict = { text: placeholder("strict"), candidates, limit };
    const lenient = { text: placeholder("lenient"), candidates, limit: ifFew };
    const forgiven = sql`SELECT json_group_array(key) FROM (${missingWords(index.words, placeholder("texts"))})`;
    const found = sql`
      strict AS MATERIALIZED (${selectMatches(index, strict)}),
      lenient AS MATERIALIZED (${selectMatches(index, lenient)}),
      found(rank, key, forgiven) AS MATERIALIZED (
        SELECT json_array_length(forgiven) AS rank, key, forgiven FROM (
          SELECT candidate.key, (${forgiven}) AS forgiven
          FROM (SELECT key FROM strict UNION SELECT key FROM lenient) AS candidate ${index.joinRecord(sql`candidate.key`)}
        )
        ORDER BY rank, key ${limitTo(FOUND_LIMIT)}
      )`;
    return SELECT_RECORDS[list](found, placeholder("caller"));
  },
);
