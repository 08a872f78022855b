import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { RowOf } from "../../db/database.ts";
import { limitTo, select, selectList } from "../../db/select.ts";
import type { AskedWord } from "./asked-words.ts";
import { candidatesToTest, type LimitsOfLists, type SearchLimits } from "./limits.ts";
import {
  areLong,
  conditionsOf,
  type Lengths,
  type LengthsRow,
  lengthsOf,
  type MeasureName,
  type Measuring,
  measuresOf,
  measuringOf,
  selectedLengths,
  sumOf,
} from "./list-lengths.ts";
import { FOUND_LIMIT, type FoundRow, SELECT_RECORDS } from "./records.ts";
import type { SearchList } from "./schema.ts";
import { beginnings, beginningsOf, type Choice, hasList, matchAll, shortened, textsOf, wholeWords } from "./terms.ts";
import { hasMoreMatches, INDEXES, lacks, nameOf, selectMatches, type WordIndex } from "./word-index.ts";

// A search for words as they are asked for, in one or two steps (docs/contract/interface.md, 4.6). In the first step, FTS5
// intersects the lists of all words if they are short. For the kinds of record whose lists are long, it looks up only the
// shortest ones in the second step, and the text of each candidate decides about the other words.

/** A search for words as a caller asks for them. */
export interface ExactSearch {
  words: readonly AskedWord[];
  caller: string;
  limits: LimitsOfLists;
}

/** The search, with what it looks up in every list. */
export function prepareExact(search: ExactSearch) {
  const begins = beginningsOf(search.words);
  const whole = search.words.map(wholeWords);
  const expressions = { whole: matchAll(whole), beginnings: matchAll(begins) };
  const measured = toMeasure(search.words, begins);
  const terms = measured.flatMap((item) => item.terms);
  return {
    ...search,
    measured,
    expressions,
    measuring: measuringOf(terms, whole.flat()),
    measuresFor: measuresOf(terms),
  };
}

type PreparedSearch = ReturnType<typeof prepareExact>;

/** A word of the query, what is measured for it, and how many pages the lists of these terms have. */
interface Measured {
  word: AskedWord;
  terms: Choice;
  /** Whether a record must have the beginning. Otherwise this follows from another word. */
  isNeeded: boolean;
  pages: number;
}

/** What to measure: beginnings, because the list of a whole word is a part of the list of its beginning, and the other words. */
function toMeasure(words: readonly AskedWord[], begins: readonly Choice[]): Omit<Measured, "pages">[] {
  const needed = begins.map((terms) => JSON.stringify(terms));
  return words.map((word) => {
    const isNeeded = needed.includes(JSON.stringify(beginnings(word)));
    return { word, isNeeded, terms: isNeeded ? beginnings(word) : wholeWords(word) };
  });
}

export function firstStep(list: SearchList, search: PreparedSearch) {
  const { measuring, measuresFor, expressions, caller, limits } = search;
  const { candidates } = limits[list];
  const values = { ...measuresFor(limits[list]), ...expressions, candidates, hidden: candidates - FOUND_LIMIT, caller };
  return selectIfShort({ list, measuring }, values);
}

/** Statements for a list that the first step did not fill; none if it has found all records. */
export function secondStep(lengths: Lengths, { measured, expressions, caller, limits }: PreparedSearch) {
  const { list, pages, hidesMore } = lengths;
  if (areLong(lengths, limits)) {
    let index = 0;
    const withPages = measured.map((item) => {
      const own = pages.slice(index, index + item.terms.length);
      index += item.terms.length;
      return { ...item, pages: sumOf(own) };
    });
    return searchByText(list, withPages, limits[list], caller);
  }
  const values = { text: expressions.beginnings, candidates: limits[list].candidates, caller };
  return hidesMore ? [selectIsCut({ list, isByText: false }, values)] : [];
}

/** The statements of the second step for a list. */
function searchByText(list: SearchList, measured: readonly Measured[], limits: SearchLimits, caller: string) {
  const lookedUp = shortestLists(measured, limits.pagesBesideText);
  const tested = measured.filter((item) => !lookedUp.includes(item));
  // Only the first lists can be too long. If FTS5 would have to gather them, shorter beginnings are looked up.
  const isCut = ({ terms, pages }: Measured) => pages > limits.pagesBesideText && !terms.every(hasList);
  const cut = lookedUp.filter(isCut);
  const lookUp = (item: Measured, terms: Choice) => (cut.includes(item) ? terms.map(shortened) : terms);
  const texts = [...tested, ...cut].filter(({ isNeeded }) => isNeeded).map(({ terms }) => terms);
  const wholeTexts = [...tested, ...cut.filter(({ word }) => word.isPiece)].map(({ word }) => wholeWords(word));
  const expression = matchAll(lookedUp.map((item) => lookUp(item, item.terms)));
  const candidates = candidatesToTest(limits, Math.max(1, wholeTexts.flat().length, texts.flat().length));
  const values = {
    whole: matchAll(lookedUp.map((item) => lookUp(item, wholeWords(item.word)))),
    wholeTexts: textsOf(wholeTexts),
    beginnings: expression,
    texts: textsOf(texts),
  };
  return [
    selectByText({ list }, { ...values, candidates, caller }),
    selectIsCut({ list, isByText: true }, { text: expression, candidates, caller }),
  ];
}

/** The words with the shortest lists: as many as FTS5 may intersect, at least one. */
function shortestLists(measured: readonly Measured[], mostPages: number): Measured[] {
  const byLength = measured.filter(({ isNeeded }) => isNeeded).sort((first, second) => first.pages - second.pages);
  return byLength.filter(
    (_, index) => index === 0 || sumOf(byLength.slice(0, index + 1).map(({ pages }) => pages)) <= mostPages,
  );
}

/**
 * The first step: what the lists of the terms are like, and beside it each record, or NULLs if none is found. If the lists are
 * measured, and have more pages than `mostPages`, only records with a single whole word are found.
 */
export const selectIfShort = compilePer(
  "search/exact",
  (
    shape: { list: SearchList; measuring: Measuring },
    placeholder: PlaceholderOf<MeasureName | "whole" | "beginnings" | "candidates" | "hidden" | "caller">,
  ): SQL<LengthsRow & (FoundRow | { record: null })> => {
    const { list, measuring } = shape;
    const conditions = conditionsOf(measuring);
    const { stages, found } = findWords(INDEXES[list](placeholder("caller")), placeholder("candidates"), {
      whole: { text: placeholder("whole"), isWorthALook: conditions.whole },
      beginnings: { text: placeholder("beginnings"), isWorthALook: conditions.beginnings },
    });
    const lengths = measuring === "nothing" ? sql`` : sql`${lengthsOf(shape, placeholder)},`;
    const records = SELECT_RECORDS[list](found, placeholder("caller"));
    const isFull = sql`(SELECT count(*) FROM whole) = ${sql.raw(String(FOUND_LIMIT))}`;
    // The limit keeps the order of the records: SQLite drops the order of a joined query that has none.
    return sql`WITH ${lengths} ${stages}, records AS (${records} ${limitTo(FOUND_LIMIT)})
      SELECT ${selectList(selectedLengths(shape, isFull, placeholder))}, records.* FROM (SELECT 1) LEFT JOIN records`;
  },
);

/** The second step: the texts, as `textsOf` has them, are tested in the words of each candidate. */
const selectByText = compilePer(
  "search/by-text",
  (
    { list }: { list: SearchList },
    placeholder: PlaceholderOf<"whole" | "wholeTexts" | "beginnings" | "texts" | "candidates" | "caller">,
  ): SQL<FoundRow> => {
    const index = INDEXES[list](placeholder("caller"));
    const { stages, found } = findWords(index, placeholder("candidates"), {
      whole: { text: placeholder("whole"), hasTexts: hasTexts(index, sql`whole_texts`) },
      beginnings: { text: placeholder("beginnings"), hasTexts: hasTexts(index, sql`texts`) },
    });
    const texts = sql`
      whole_texts(value, others) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(${placeholder("wholeTexts")})),
      texts(value, others) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(${placeholder("texts")}))`;
    return SELECT_RECORDS[list](sql`${texts}, ${stages}, ${found}`, placeholder("caller"));
  },
);

/** Whether there are more candidates than a search looks at, or records that no search tests. */
export const selectIsCut = compilePer(
  "search/is-cut",
  (
    { list, isByText }: { list: SearchList; isByText: boolean },
    placeholder: PlaceholderOf<"text" | "candidates" | "caller">,
  ) => {
    const { name, table, isLong } = INDEXES[list](placeholder("caller"));
    const hasMore = hasMoreMatches(name, placeholder("text"), placeholder("candidates"));
    const hasLong = isByText ? sql`OR EXISTS (SELECT 1 FROM ${table} WHERE ${isLong})` : sql``;
    return select({ list: nameOf(list), is_cut: sql<0 | 1>`(${hasMore} ${hasLong})` }, sql``);
  },
);

export type IsCut = RowOf<ReturnType<typeof selectIsCut>>;

function hasTexts({ isLong, words }: WordIndex, texts: SQL): SQL {
  return sql`NOT ${isLong} AND NOT EXISTS (SELECT 1 FROM ${texts} WHERE ${lacks(words, sql`value`, sql`others`)})`;
}

interface Stage {
  /** The FTS5 expression. */
  text: Placeholder;
  /** A condition on each record. */
  hasTexts?: SQL;
  /** If it does not hold, FTS5 is not asked. */
  isWorthALook?: SQL | undefined;
}

/**
 * For `WITH` clauses: the stages, and `found(rank, key, forgiven)` of at most 20 records. Rank 0: every word is a whole word of
 * the record. Rank 1: some words only begin a word. No word is forgiven.
 */
function findWords(
  index: WordIndex,
  candidates: Placeholder,
  { whole, beginnings }: Record<"whole" | "beginnings", Stage>,
) {
  // FTS5 looks nothing up if the limit is 0.
  const limitOf = ({ isWorthALook }: Stage, limit: SQL) =>
    isWorthALook === undefined ? limit : sql`iif(${limit} > 0 AND ${isWorthALook}, ${limit}, 0)`;
  const most = sql.raw(String(FOUND_LIMIT));
  const rest = sql`${most} - (SELECT count(*) FROM whole)`;
  const isOther = sql`AND candidate.key NOT IN (SELECT key FROM whole)`;
  const select = (stage: Stage, limit: SQL, except?: SQL) =>
    selectMatches(index, { ...stage, candidates, limit: limitOf(stage, limit) }, except);
  return {
    stages: sql`
      whole(key) AS MATERIALIZED (${select(whole, most)}),
      others(key) AS MATERIALIZED (${select(beginnings, rest, isOther)})`,
    found: sql`found(rank, key, forgiven) AS (SELECT 0, key, NULL FROM whole UNION ALL SELECT 1, key, NULL FROM others)`,
  };
}
