import { compileOnce, compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { firstStep, type IsCut, secondStep } from "./exact.ts";
import { findKnown, findMatches, type KnownSearch, matchWithTypos, selectKnownNames } from "./known-customers.ts";
import { LIMITS, type LimitsOfLists } from "./limits.ts";
import { areLong, type Lengths } from "./list-lengths.ts";
import { FOUND_LIMIT, type Found, type FoundRow, isFull, type Matches, SELECT_RECORDS, toFound } from "./records.ts";
import { type CustomerSearch, LISTS, type SearchList } from "./schema.ts";
import { readSimilarWords } from "./similar-words.ts";
import { isForgivable } from "./terms.ts";
import { searchForgivingly, typoSearch } from "./typos.ts";

interface FullSearch {
  /** The distinct words of the query, folded: lower case, without accents. */
  words: readonly string[];
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
 * words with long lists. If every list is empty, two more forgive typos: one reads similar words, and one searches for them.
 */
export async function searchAll(db: Database, search: FullSearch, limits = LIMITS): Promise<Found> {
  const { words, typos } = search;
  if (words.length === 0) return toFound({ rows: [], isIncomplete: false }, words);
  const { lengths, ...exact } = await searchExactly(db, search, limits);
  const mayForgive = exact.rows.length === 0 && !exact.isIncomplete && typos && words.some(isForgivable);
  return toFound(mayForgive ? await searchWithTypos(db, search, lengths, limits) : exact, words);
}

/** The lists that are searched in an index. Customers whom the caller knows have none. */
function indexedLists({ lists, customerSearch }: FullSearch): SearchList[] {
  return LISTS.filter((list) => lists.includes(list) && (list !== "customers" || customerSearch === "all"));
}

/** Which customers a search may find if it finds only those whom the caller knows. */
function knownScope({ lists, customerSearch }: FullSearch): KnownSearch | null {
  return lists.includes("customers") && customerSearch !== "all" ? customerSearch : null;
}

async function searchExactly(db: Database, search: FullSearch, limits: LimitsOfLists) {
  const { words, customerId: caller } = search;
  const exact = { words, caller, limits };
  const scope = knownScope(search);
  const known = scope === null ? [] : [selectKnown({ search: scope }, { words: JSON.stringify(words), caller })];
  const first = (await db.batch([...indexedLists(search).flatMap((list) => firstStep(list, exact)), ...known])).flat();
  const found = first.filter((row) => "record" in row);
  const lengths = first.filter((row) => "pages" in row);

  const unfilled = lengths.filter(({ list }) => !isFull(list, found));
  const second = (await db.batch(unfilled.flatMap((row) => secondStep(row, exact)))).flat();
  return { ...toMatches([...found, ...second]), lengths };
}

/** Lists that are too long for FTS5 are not searched. */
async function searchWithTypos(db: Database, search: FullSearch, lengths: readonly Lengths[], limits: LimitsOfLists) {
  const { words, customerId: caller } = search;
  const indexed = lengths.filter((row) => !areLong(row, limits));
  const lists = indexed.map(({ list }) => list);
  const scope = knownScope(search);
  const known = scope === null ? [] : [selectKnownNames({ search: scope }, { caller })];
  const read = (await db.batch([...readSimilarWords(words.filter(isForgivable), lists), ...known])).flat();

  const similar = read.filter((row) => "vocabulary" in row);
  const forgiving = indexed.flatMap(({ list, hides_more }) => {
    const typos = typoSearch(list, words, similar);
    return typos === null ? [] : searchForgivingly(typos, hides_more === 1, { words, caller, limits });
  });
  const names = read.filter((row) => "key" in row);
  const matches = matchWithTypos(names, words).slice(0, FOUND_LIMIT);
  const knownMatches = matches.length > 0 ? [selectKnownWithTypos({ matches: JSON.stringify(matches), caller })] : [];
  const found = toMatches((await db.batch([...forgiving, ...knownMatches])).flat());
  return { ...found, isIncomplete: found.isIncomplete || indexed.length < lengths.length };
}

/** The records, and whether a limit ended a list that has fewer than 20 of them. */
function toMatches(read: readonly (FoundRow | IsCut)[]): Matches {
  const rows = read.filter((row) => "record" in row);
  const cuts = read.filter((row) => "is_cut" in row);
  return { rows, isIncomplete: cuts.some(({ list, is_cut }) => is_cut === 1 && !isFull(list, rows)) };
}

const selectKnown = compilePer(
  "search/known",
  ({ search }: { search: KnownSearch }, placeholder: PlaceholderOf<"words" | "caller">) =>
    SELECT_RECORDS.customers(findKnown(search, placeholder, FOUND_LIMIT), placeholder("caller")),
);

const selectKnownWithTypos = compileOnce(
  "search/known-with-typos",
  (placeholder: PlaceholderOf<"matches" | "caller">) =>
    SELECT_RECORDS.customers(findMatches(placeholder("matches")), placeholder("caller")),
);
