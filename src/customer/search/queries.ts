import type { SQL } from "drizzle-orm";
import { compileOnce, compilePer, type Database, type Value } from "../../db/database.ts";
import { findGiven, findKnown, forgiveKnown, type Known, readKnown } from "./known-customers.ts";
import { type Found, type FoundRow, READ, toFound } from "./records.ts";
import { type CustomerSearch, LISTS, type SearchList } from "./schema.ts";
import { type ForgivingTexts, findForgiven, forgive, isForgivable, readNear } from "./typos.ts";
import { type AskedWords, askFor, findWords, INDEXES } from "./word-index.ts";

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
  return toFound(mayForgive ? await searchForgivingly(db, search, lists) : exact, words);
}

function exactSearch(list: SearchList, { words, whom, customerId: caller }: FullSearch) {
  if (list === "customers" && whom !== "all") return KNOWN({ whom }, { list: JSON.stringify(words), caller });
  const { hasMany, texts } = askFor(list, words);
  return EXACTLY({ list, hasMany }, { ...texts, caller });
}

async function searchForgivingly(db: Database, search: FullSearch, lists: readonly SearchList[]): Promise<FoundRow[]> {
  const { words, whom, customerId: caller } = search;
  const known = whom !== "all" && lists.includes("customers") ? [readKnown({ whom }, { caller })] : [];
  const indexed = lists.filter((list) => known.length === 0 || list !== "customers");
  const read = (await db.batch([...readNear(words.filter(isForgivable), indexed), ...known])).flat();

  const nearWords = read.filter((row) => "vocabulary" in row);
  const knownCustomers = read.filter((row) => "key" in row);
  const statements = indexed.flatMap((list) => {
    const texts = forgive(words, nearWords, list);
    return texts === null ? [] : [FORGIVINGLY({ list }, { ...texts, words: JSON.stringify(words), caller })];
  });
  const given = forgiveKnown(knownCustomers, words, isForgivable).slice(0, FOUND_LIMIT);
  if (given.length > 0) statements.push(GIVEN({ given: JSON.stringify(given), caller }));
  return (await db.batch(statements)).flat();
}

const EXACTLY = compilePer(
  (
    { list, hasMany }: { list: SearchList; hasMany: boolean },
    value: Value<keyof AskedWords["texts"] | "caller">,
  ): SQL<FoundRow> =>
    READ[list](findWords(INDEXES[list](value("caller")), hasMany, value, FOUND_LIMIT), value("caller")),
);

const FORGIVINGLY = compilePer(
  ({ list }: { list: SearchList }, value: Value<keyof ForgivingTexts | "words" | "caller">): SQL<FoundRow> =>
    READ[list](findForgiven(INDEXES[list](value("caller")), value, FOUND_LIMIT), value("caller")),
);

/** Customers whom the caller knows. */
const KNOWN = compilePer(
  ({ whom }: { whom: Known }, value: Value<"list" | "caller">): SQL<FoundRow> =>
    READ.customers(findKnown(whom, value, FOUND_LIMIT), value("caller")),
);

/** Known customers in whose names words were forgiven. */
const GIVEN = compileOnce(
  (value: Value<"given" | "caller">): SQL<FoundRow> => READ.customers(findGiven(value("given")), value("caller")),
);
