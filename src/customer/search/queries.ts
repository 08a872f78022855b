import type { SQL } from "drizzle-orm";
import { compileOnce, compilePer, type Database, type PlaceholderOf } from "../../db/database.ts";
import { findKnown, findMatches, type Known, matchWithTypos, readKnown } from "./known-customers.ts";
import { type Found, type FoundRow, SELECT_RECORDS, toFound } from "./records.ts";
import { type CustomerSearch, LISTS, type SearchList } from "./schema.ts";
import { findWithTypos, isForgivable, readSimilarWords, type TypoExpressions, typoExpressions } from "./typos.ts";
import { type Beginnings, findWords, INDEXES, type WordExpressions, wordExpressions } from "./word-index.ts";

interface FullSearch {
  /** Folded, each once. */
  words: readonly string[];
  /** Whether typos are forgiven if nothing is found otherwise. */
  typos: boolean;
  /** The lists to search. The others stay empty. */
  lists: readonly SearchList[];
  customerId: string;
  /** Which customers may be found. */
  whom: CustomerSearch;
}

const FOUND_LIMIT = 20;

/**
 * The records in which every word of the query begins some word (docs/contract/interface.md, 4.6). First come records that
 * hold every word whole, then the others, each in the order first stored. One round trip; none for no words. If every list
 * is empty, two more forgive typos: one reads similar words, and one searches for them.
 */
export async function searchAll(db: Database, search: FullSearch): Promise<Found> {
  const { words, typos } = search;
  const lists = LISTS.filter((list) => words.length > 0 && search.lists.includes(list));
  const exact = (await db.batch(lists.map((list) => exactSearch(list, search)))).flat();
  const mayForgive = exact.length === 0 && typos && words.some(isForgivable);
  return toFound(mayForgive ? await searchWithTypos(db, search, lists) : exact, words);
}

function exactSearch(list: SearchList, { words, whom, customerId: caller }: FullSearch) {
  if (list === "customers" && whom !== "all") return KNOWN({ whom }, { list: JSON.stringify(words), caller });
  const { beginnings, texts } = wordExpressions(list, words);
  return AS_ASKED({ list, beginnings }, { ...texts, caller });
}

async function searchWithTypos(db: Database, search: FullSearch, lists: readonly SearchList[]): Promise<FoundRow[]> {
  const { words, whom, customerId: caller } = search;
  const known = whom !== "all" && lists.includes("customers") ? [readKnown({ whom }, { caller })] : [];
  const indexed = lists.filter((list) => known.length === 0 || list !== "customers");
  const read = (await db.batch([...readSimilarWords(words.filter(isForgivable), indexed), ...known])).flat();

  const similar = read.filter((row) => "vocabulary" in row);
  const knownCustomers = read.filter((row) => "key" in row);
  const statements = indexed.flatMap((list) => {
    const texts = typoExpressions(words, similar, list);
    return texts === null ? [] : [WITH_TYPOS({ list }, { ...texts, words: JSON.stringify(words), caller })];
  });
  const matches = matchWithTypos(knownCustomers, words, isForgivable).slice(0, FOUND_LIMIT);
  if (matches.length > 0) statements.push(KNOWN_WITH_TYPOS({ matches: JSON.stringify(matches), caller }));
  return (await db.batch(statements)).flat();
}

const AS_ASKED = compilePer(
  (
    { list, beginnings }: { list: SearchList; beginnings: Beginnings },
    placeholder: PlaceholderOf<keyof WordExpressions["texts"] | "caller">,
  ): SQL<FoundRow> =>
    SELECT_RECORDS[list](
      findWords(INDEXES[list](placeholder("caller")), beginnings, placeholder, FOUND_LIMIT),
      placeholder("caller"),
    ),
);

const WITH_TYPOS = compilePer(
  (
    { list }: { list: SearchList },
    placeholder: PlaceholderOf<keyof TypoExpressions | "words" | "caller">,
  ): SQL<FoundRow> =>
    SELECT_RECORDS[list](
      findWithTypos(INDEXES[list](placeholder("caller")), placeholder, FOUND_LIMIT),
      placeholder("caller"),
    ),
);

/** Customers whom the caller knows. */
const KNOWN = compilePer(
  ({ whom }: { whom: Known }, placeholder: PlaceholderOf<"list" | "caller">): SQL<FoundRow> =>
    SELECT_RECORDS.customers(findKnown(whom, placeholder, FOUND_LIMIT), placeholder("caller")),
);

/** Known customers in whose names words were forgiven. */
const KNOWN_WITH_TYPOS = compileOnce(
  (placeholder: PlaceholderOf<"matches" | "caller">): SQL<FoundRow> =>
    SELECT_RECORDS.customers(findMatches(placeholder("matches")), placeholder("caller")),
);
