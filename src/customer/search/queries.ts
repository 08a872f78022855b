import { compileOnce, compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import type { AskedWord } from "./asked-words.ts";
import { firstStep, type IsCut, prepareExact, secondStep } from "./exact.ts";
import { findKnown, findMatches, type KnownSearch, matchWithTypos, selectKnownNames } from "./known-customers.ts";
import { LIMITS, type LimitsOfLists } from "./limits.ts";
import { areLong, type Lengths, readLengths } from "./list-lengths.ts";
import {
  FOUND_LIMIT,
  type Found,
  type FoundRow,
  isFull,
  isOfList,
  type Matches,
  SELECT_RECORDS,
  toFound,
} from "./records.ts";
import { type CustomerSearch, LISTS, type SearchList } from "./schema.ts";
import { readSimilarWords, type SimilarWords } from "./similar-words.ts";
import { beginnings, isForgivable, textsOf, wholeWords } from "./terms.ts";
import { searchForgivingly, typoSearch } from "./typos.ts";

interface FullSearch {
  words: readonly AskedWord[];
  /** Whether typos are forgiven if nothing is found otherwise. */
  typos: boolean;
  /** The lists to search. The others stay empty. */
  lists: readonly SearchList[];
  customerId: string;
  /** Which customers may be found. */
  customerSearch: CustomerSearch;
}

/**
 * The records in which every word of the query begins some word (docs/contract/interface.md, 4.6). First come records that
 * hold every word whole, then the others, each in the order first stored. One round trip; none for no words; one more for
 * words with long lists. If every list is empty, the second trip also reads similar words, and a third searches for them.
 */
export async function searchAll(db: Database, search: FullSearch, limits = LIMITS): Promise<Found> {
  const { words, typos, customerId: caller } = search;
  if (words.length === 0) return toFound({ rows: [], isIncomplete: false }, words);
  const exact = prepareExact({ words, caller, limits });
  const lists = indexedLists(search);
  const first = await db.batch([...lists.map((list) => firstStep(list, exact)), ...readKnown(search)]);
  const lengths = lists.flatMap((list, index) => {
    const row = first[index]?.[0];
    return row !== undefined && "pages" in row ? [readLengths(list, row)] : [];
  });
  // Lists that are too long for FTS5 are not searched for typos. The second step looks for all of their records.
  const long = lengths.filter((row) => areLong(row, limits));
  const short = lengths.filter((row) => !long.includes(row));
  const read = first.flat().filter((row) => row.record !== null);
  const found = read.filter((row) => !long.some(({ list }) => isOfList(row, list)));

  const unfilled = lengths.filter(({ list }) => !isFull(list, found));
  const mayForgive = read.length === 0 && typos && words.some(({ text }) => isForgivable(text));
  const similar = mayForgive ? readSimilar(search, short) : [];
  const second = (await db.batch([...unfilled.flatMap((row) => secondStep(row, exact)), ...similar])).flat();
  const matches = toMatches([...found, ...second.filter((row) => "record" in row || "is_cut" in row)]);
  if (!mayForgive || matches.rows.length > 0 || matches.isIncomplete) return toFound(matches, words);
  const names = second.filter((row) => "key" in row);
  const similarWords = second.filter((row) => "vocabulary" in row);
  const forgiven = await searchWithTypos(db, search, { short, similarWords, names, limits });
  return toFound({ ...forgiven, isIncomplete: forgiven.isIncomplete || long.length > 0 }, words);
}

/** The lists that are searched in an index. Customers whom the caller knows have none. */
function indexedLists({ lists, customerSearch }: FullSearch): SearchList[] {
  return LISTS.filter((list) => lists.includes(list) && (list !== "customers" || customerSearch === "all"));
}

/** Which customers a search may find if it finds only those whom the caller knows. */
function knownScope({ lists, customerSearch }: FullSearch): KnownSearch | null {
  return lists.includes("customers") && customerSearch !== "all" ? customerSearch : null;
}

/** Finds customers whom the caller knows; none if the search may find all. */
function readKnown(search: FullSearch) {
  const { words, customerId: caller } = search;
  const scope = knownScope(search);
  const texts = { wholeTexts: textsOf(words.map(wholeWords)), texts: textsOf(words.map(beginnings)) };
  return scope === null ? [] : [selectKnown({ search: scope }, { ...texts, caller })];
}

/** Reads the words that are similar to those of the query, and the names of the customers whom the caller knows. */
function readSimilar(search: FullSearch, lists: readonly Lengths[]) {
  const scope = knownScope(search);
  const known = scope === null ? [] : [selectKnownNames({ search: scope }, { caller: search.customerId })];
  const words = readSimilarWords(
    [...new Set(search.words.map(({ text }) => text))].filter(isForgivable),
    lists.map(({ list }) => list),
  );
  return [...words, ...known];
}

/** What `readSimilar` reads. */
interface WordsToForgive {
  similarWords: readonly SimilarWords[];
  names: Parameters<typeof matchWithTypos>[0];
}

async function searchWithTypos(
  db: Database,
  { words, customerId: caller }: FullSearch,
  { short, similarWords, names, limits }: WordsToForgive & { short: readonly Lengths[]; limits: LimitsOfLists },
): Promise<Matches> {
  const forgiving = short.flatMap(({ list, hidesMore }) => {
    const search = typoSearch(list, words, similarWords);
    return search === null ? [] : searchForgivingly(search, hidesMore, { words, caller, limits });
  });
  const matches = matchWithTypos(names, words).slice(0, FOUND_LIMIT);
  const known = matches.length > 0 ? [selectKnownWithTypos({ matches: JSON.stringify(matches), caller })] : [];
  return toMatches((await db.batch([...forgiving, ...known])).flat());
}

/** The records, and whether a limit ended a list that has fewer than 20 of them. */
function toMatches(read: readonly (FoundRow | IsCut)[]): Matches {
  const rows = read.filter((row) => "record" in row);
  const cuts = read.filter((row) => "is_cut" in row);
  return { rows, isIncomplete: cuts.some(({ list, is_cut }) => is_cut === 1 && !isFull(list, rows)) };
}

const selectKnown = compilePer(
  "search/known",
  ({ search }: { search: KnownSearch }, placeholder: PlaceholderOf<"wholeTexts" | "texts" | "caller">) =>
    SELECT_RECORDS.customers(findKnown(search, placeholder, FOUND_LIMIT), placeholder("caller")),
);

const selectKnownWithTypos = compileOnce(
  "search/known-with-typos",
  (placeholder: PlaceholderOf<"matches" | "caller">) =>
    SELECT_RECORDS.customers(findMatches(placeholder("matches")), placeholder("caller")),
);
