import type { SQL } from "drizzle-orm";
import { compileOnce, compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database, Statement } from "../../db/database.ts";
import { findKnown, findMatches, type KnownSearch, matchWithTypos, selectKnownNames } from "./known-customers.ts";
import { type Found, type FoundRow, SELECT_RECORDS, toFound } from "./records.ts";
import { type CustomerSearch, LISTS, type SearchList } from "./schema.ts";
import { findWithTypos, isForgivable, readSimilarWords, type TypoExpressions, typoExpressions } from "./typos.ts";
import { findWords, INDEXES, type LookupPlan, type WordExpressions, wordExpressions } from "./word-index.ts";

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

function exactSearch(list: SearchList, { words, customerSearch, customerId: caller }: FullSearch) {
  if (list === "customers" && customerSearch !== "all")
    return selectKnown({ search: customerSearch }, { words: JSON.stringify(words), caller });
  const { plan, texts } = wordExpressions(words);
  return selectExact({ list, plan }, { ...texts, caller });
}

async function searchWithTypos(db: Database, search: FullSearch, lists: readonly SearchList[]): Promise<FoundRow[]> {
  const { words, customerSearch, customerId: caller } = search;
  const isLimited = customerSearch !== "all" && lists.includes("customers");
  const known = isLimited ? [selectKnownNames({ search: customerSearch }, { caller })] : [];
  const indexed = lists.filter((list) => known.length === 0 || list !== "customers");
  const read = (await db.batch([...readSimilarWords(words.filter(isForgivable), indexed), ...known])).flat();

  const similar = read.filter((row) => "vocabulary" in row);
  const knownCustomers = read.filter((row) => "key" in row);
  const statements: Statement<FoundRow>[] = indexed.flatMap((list) => {
    const texts = typoExpressions(words, similar, list);
    return texts === null ? [] : [selectWithTypos({ list }, { ...texts, words: JSON.stringify(words), caller })];
  });
  const matches = matchWithTypos(knownCustomers, words).slice(0, FOUND_LIMIT);
  if (matches.length > 0) statements.push(selectKnownWithTypos({ matches: JSON.stringify(matches), caller }));
  return (await db.batch(statements)).flat();
}

const selectExact = compilePer(
  "search/exact",
  (
    { list, plan }: { list: SearchList; plan: LookupPlan },
    placeholder: PlaceholderOf<keyof WordExpressions["texts"] | "caller">,
  ): SQL<FoundRow> => {
    const found = findWords(INDEXES[list](placeholder("caller")), plan, placeholder, FOUND_LIMIT);
    return SELECT_RECORDS[list](found, placeholder("caller"));
  },
);

const selectWithTypos = compilePer(
  "search/with-typos",
  (
    { list }: { list: SearchList },
    placeholder: PlaceholderOf<keyof TypoExpressions | "words" | "caller">,
  ): SQL<FoundRow> => {
    const found = findWithTypos(INDEXES[list](placeholder("caller")), placeholder, FOUND_LIMIT);
    return SELECT_RECORDS[list](found, placeholder("caller"));
  },
);

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
