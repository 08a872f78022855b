import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import { limitTo, select } from "../../db/select.ts";
import { customerKeyOf, customers } from "../../records/customer.ts";
import { friendships } from "../../records/friendship.ts";
import { compareCodePoints } from "../../values/code-points.ts";
import { hasBlocked } from "../rules.ts";
import type { AskedWord } from "./asked-words.ts";
import type { CustomerSearch } from "./schema.ts";
import { spellingsOf } from "./spellings.ts";
import { beginnings, isForgivable } from "./terms.ts";
import { missingWords } from "./word-index.ts";

// A search for people whom the caller knows starts from these people. The index has no list of friends: a search there would
// read everybody with a common name.

export type KnownSearch = Exclude<CustomerSearch, "all">;

/** `FROM` the caller and, for "friends", the caller's friends, without anybody who has blocked the caller. */
function fromKnown(search: KnownSearch, caller: Placeholder, where: SQL): SQL {
  const me = customerKeyOf(caller);
  const friends = sql`
    UNION ALL SELECT ${friendships.high_key} FROM ${friendships} WHERE ${friendships.low_key} = ${me} AND ${friendships.status} = 1
    UNION ALL SELECT ${friendships.low_key} FROM ${friendships} WHERE ${friendships.high_key} = ${me} AND ${friendships.status} = 1`;
  return sql`
    FROM (SELECT ${me} AS key ${search === "friends" ? friends : sql``}) AS known
    CROSS JOIN ${customers} ON ${customers.key} = known.key
    WHERE ${where} AND NOT ${hasBlocked(sql`known.key`, me)}`;
}

/** For a `WITH` clause: `found(rank, key, forgiven)` of known customers, as `findWords` has it. */
export function findKnown(
  search: KnownSearch,
  placeholder: PlaceholderOf<"wholeTexts" | "texts" | "caller">,
  limit: number,
): SQL {
  const hasAll = (texts: Placeholder) => sql`NOT EXISTS (${missingWords(sql`${customers.words}`, texts)})`;
  return sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT iif(${hasAll(placeholder("wholeTexts"))}, 0, 1), ${customers.key}, NULL
    ${fromKnown(search, placeholder("caller"), hasAll(placeholder("texts")))}
    ORDER BY 1, 2 ${limitTo(limit)}
  )`;
}

export const selectKnownNames = compilePer(
  "search/known-names",
  ({ search }: { search: KnownSearch }, placeholder: PlaceholderOf<"caller">) =>
    select({ key: customers.key, words: customers.words }, fromKnown(search, placeholder("caller"), sql`true`)),
);

/**
 * The customers who have all words of the query, some of them forgiven. Fewest forgiven words first, then by key. `forgiven`:
 * the positions of these words in the query.
 */
export function matchWithTypos(
  known: readonly { key: number; words: string }[],
  words: readonly AskedWord[],
): { key: number; forgiven: number[] }[] {
  const matches = known.flatMap(({ key, words: text }) => {
    const names = text.split(" ");
    const isThere = (word: AskedWord) =>
      beginnings(word).some((term) => names.some((name) => name.startsWith(term.text)));
    const forgiven = words.flatMap((word, position) => (isThere(word) ? [] : [{ word, position }]));
    const isMatch = forgiven.every(
      ({ word }) => isForgivable(word.text) && names.some((name) => isTypoOf(word.text, name)),
    );
    return isMatch ? [{ key, forgiven: forgiven.map(({ position }) => position) }] : [];
  });
  return matches.sort((left, right) => left.forgiven.length - right.forgiven.length || left.key - right.key);
}

/** For a `WITH` clause: `found(rank, key, forgiven)` of the customers that `matchWithTypos` returns, as a JSON array. */
export function findMatches(matches: Placeholder): SQL {
  return sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT key, value ->> '$.key', value -> '$.forgiven' FROM json_each(${matches})
  )`;
}

/**
 * Whether a word of the query is one typo away from some beginning of another word with the same first letter: a letter
 * more, less or other, or two neighbours swapped (docs/contract/interface.md, 4.6). Dropping only the last letter counts
 * only if the other word ends there.
 */
export function isTypoOf(asked: string, other: string): boolean {
  const [askedLetters, otherLetters] = [[...asked], [...other]];
  const start = askedLetters.findIndex((letter, index) => letter !== otherLetters[index]);
  if (start < 1) return false;
  const askedFrom = (index: number) => askedLetters.slice(index).join("");
  const otherFrom = (index: number) => otherLetters.slice(index).join("");
  const [first = "", second = ""] = askedLetters.slice(start);
  const isLastLetter = second === "";
  const hasLetter = otherLetters.length > start;
  const isAdded = otherFrom(start + 1).startsWith(askedFrom(start));
  const isReplaced = hasLetter && otherFrom(start + 1).startsWith(askedFrom(start + 1));
  const isSwapped = !isLastLetter && otherFrom(start).startsWith(second + first + askedFrom(start + 2));
  const isLeftOut = isLastLetter ? !hasLetter : otherFrom(start).startsWith(askedFrom(start + 1));
  return isAdded || isReplaced || isSwapped || isLeftOut;
}

/** A record in which words of the query were forgiven. */
export interface ForgivenRecord {
  /** The texts that are searched, as the record shows them. */
  texts: readonly string[];
  /** The positions of the words in the query. */
  forgiven: readonly number[];
}

const MEANINGS_LIMIT = 5;

/** The words of records that a forgiven word was taken for, as the records have them: those of the most records first. */
export function meaningsOf(word: string, records: readonly ForgivenRecord[]): string[] {
  const meanings = records.flatMap(({ texts }, record) =>
    [...spellingsOf(texts)].flatMap(([spelling, meaning]) =>
      isTypoOf(word, meaning) ? [{ spelling, meaning, record }] : [],
    ),
  );
  const found = [...Map.groupBy(meanings, ({ meaning }) => meaning).values()].map((same) => ({
    spelling: mostFrequent(same.map(({ spelling }) => spelling)),
    times: new Set(same.map(({ record }) => record)).size,
  }));
  return found
    .sort((left, right) => right.times - left.times || compareCodePoints(left.spelling, right.spelling))
    .slice(0, MEANINGS_LIMIT)
    .map(({ spelling }) => spelling);
}

/** The most frequent of the texts, or the first by code point of several. */
function mostFrequent(texts: readonly string[]): string {
  const times = (text: string) => texts.filter((other) => other === text).length;
  return texts.reduce((best, text) => {
    const more = times(text) - times(best);
    return more > 0 || (more === 0 && compareCodePoints(text, best) < 0) ? text : best;
  });
}
