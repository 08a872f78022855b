import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/database.ts";
import { customerKeyOf, hasBlocked } from "../../db/rules.ts";
import { limitTo, select } from "../../db/select.ts";
import { customers, friendships } from "../../db/tables.ts";
import { compareCodePoints } from "../../values/code-points.ts";
import type { CustomerSearch } from "./schema.ts";
import { missingWords } from "./word-index.ts";

// If a search finds only people whom the caller knows, it starts from these. The index has no list of friends: it would go
// through everybody with a common name.

export type Known = Exclude<CustomerSearch, "all">;

/** `FROM` the caller, and the caller's friends for "friends", without anybody who has blocked the caller. */
function fromKnown(whom: Known, caller: Placeholder, where: SQL): SQL {
  const me = customerKeyOf(caller);
  const friends = sql`
    UNION ALL SELECT ${friendships.high_key} FROM ${friendships} WHERE ${friendships.low_key} = ${me} AND ${friendships.status} = 1
    UNION ALL SELECT ${friendships.low_key} FROM ${friendships} WHERE ${friendships.high_key} = ${me} AND ${friendships.status} = 1`;
  return sql`
    FROM (SELECT ${me} AS key ${whom === "friends" ? friends : sql``}) AS known
    CROSS JOIN ${customers} ON ${customers.key} = known.key
    WHERE ${where} AND NOT ${hasBlocked(sql`known.key`, me)}`;
}

/** For a `WITH` clause: `found(rank, key, forgiven)` of known customers, as `findWords` has it. */
export function findKnown(whom: Known, placeholder: PlaceholderOf<"words" | "caller">, limit: number): SQL {
  const isWhole = sql`NOT EXISTS (
    SELECT 1 FROM json_each(${placeholder("words")}) WHERE instr(' ' || ${customers.words} || ' ', ' ' || value || ' ') = 0
  )`;
  const where = sql`NOT EXISTS (${missingWords(sql`${customers.words}`, placeholder("words"))})`;
  return sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT iif(${isWhole}, 0, 1), ${customers.key}, NULL ${fromKnown(whom, placeholder("caller"), where)}
    ORDER BY 1, 2 ${limitTo(limit)}
  )`;
}

export const selectKnownNames = compilePer(({ whom }: { whom: Known }, placeholder: PlaceholderOf<"caller">) =>
  select({ key: customers.key, words: customers.words }, fromKnown(whom, placeholder("caller"), sql`true`)),
);

/** The customers who have all words, some forgiven: with the fewest forgiven words first, then in the order first stored. */
export function matchWithTypos(
  known: readonly { key: number; words: string }[],
  words: readonly string[],
  isForgivable: (word: string) => boolean,
): { key: number; forgiven: string[] }[] {
  return known
    .map(({ key, words: text }) => {
      const held = text.split(" ");
      return { key, held, forgiven: words.filter((word) => !held.some((one) => one.startsWith(word))) };
    })
    .filter(({ held, forgiven }) =>
      forgiven.every((word) => isForgivable(word) && held.some((one) => isTypoOf(word, one))),
    )
    .map(({ key, forgiven }) => ({ key, forgiven }))
    .sort((one, other) => one.forgiven.length - other.forgiven.length || one.key - other.key);
}

/** For a `WITH` clause: `found(rank, key, forgiven)`, from a JSON array of what `matchWithTypos` returns. */
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
export function isTypoOf(asked: string, held: string): boolean {
  const [a, h] = [[...asked], [...held]];
  let same = 0;
  while (same < a.length && a[same] === h[same]) same += 1;
  if (same === 0) return false;
  const [first, second] = a.slice(same);
  const goesOn = (from: number, rest: readonly string[]) => rest.every((letter, index) => h[from + index] === letter);
  const isAdded = h.length > same && goesOn(same + 1, a.slice(same));
  const isReplaced = h.length > same && goesOn(same + 1, a.slice(same + 1));
  const isSwapped = second !== undefined && goesOn(same, [second, String(first), ...a.slice(same + 2)]);
  const isLeftOut = same < a.length - 1 ? goesOn(same, a.slice(same + 1)) : h.length === a.length - 1;
  return isAdded || isReplaced || isSwapped || isLeftOut;
}

/** A record with typos: its words, and the words of the query that were forgiven in it. */
export interface ForgivenRecord {
  /** With blanks between them. */
  words: string;
  forgiven: readonly string[];
}

const MEANINGS_LIMIT = 5;
/** A description may be one word of 4,000 characters, and several words of a query may stand for it. */
const WORD_LIMIT = 100;

/** The words of records that a forgiven word was taken for: those of the most records first, then by code point. */
export function meaningsOf(word: string, records: readonly ForgivenRecord[]): string[] {
  const held = records
    .filter(({ forgiven }) => forgiven.includes(word))
    .flatMap(({ words }) =>
      [...new Set(words.split(" "))].filter((one) => one.length <= WORD_LIMIT && isTypoOf(word, one)),
    );
  const counts = new Map<string, number>();
  for (const one of held) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([one, times], [other, otherTimes]) => otherTimes - times || compareCodePoints(one, other))
    .slice(0, MEANINGS_LIMIT)
    .map(([one]) => one);
}
