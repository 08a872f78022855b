import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer } from "../../../db/database.ts";
import { limitTo } from "../../../db/limit.ts";
import { customers, friendships } from "../../../db/tables/index.ts";
import { notBegun } from "../../../db/word-search.ts";
import { customerKeyOf } from "../../../domain/customers.ts";
import { hasBlocked } from "../../../domain/friendships.ts";
import { isTypoOf } from "../../../values/typo.ts";
import type { CustomerSearch } from "../whom.ts";

// Where a search finds only those whom the caller knows, it starts from them: the index has no list of friends, so asking
// it for a common name would go through everybody who bears it.

export type Known = Exclude<CustomerSearch, "all">;

/** `FROM` the caller, and the caller's friends if they are found too, but nobody who has blocked the caller. */
function knownCustomers(whom: Known, caller: Placeholder, where: SQL): SQL {
  const me = customerKeyOf(caller);
  const friends = sql`
    UNION ALL SELECT ${friendships.highKey} FROM ${friendships} WHERE ${friendships.lowKey} = ${me} AND ${friendships.status} = 1
    UNION ALL SELECT ${friendships.lowKey} FROM ${friendships} WHERE ${friendships.highKey} = ${me} AND ${friendships.status} = 1`;
  return sql`
    FROM (SELECT ${me} AS key ${whom === "friends" ? friends : sql``}) AS known
    CROSS JOIN ${customers} ON ${customers.key} = known.key
    WHERE ${where} AND NOT ${hasBlocked(sql`known.key`, me)}`;
}

/** For a `WITH` clause: `found(rank, key, forgiven)` of known customers, as a search of the index finds others. */
export function findKnown(whom: Known, { words, caller }: Record<"words" | "caller", Placeholder>, limit: number): SQL {
  const held = sql`${customers.words}`;
  const isWhole = sql`NOT EXISTS (
    SELECT 1 FROM json_each(${words}) WHERE instr(' ' || ${held} || ' ', ' ' || value || ' ') = 0
  )`;
  return sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT iif(${isWhole}, 0, 1), ${customers.key}, NULL
    ${knownCustomers(whom, caller, sql`NOT EXISTS (${notBegun(held, words)})`)}
    ORDER BY 1, 2 ${limitTo(limit)}
  )`;
}

/** The `key` and `words` of known customers. */
export const readKnown = compilePer((whom: Known, value: (name: "caller") => Placeholder) => {
  return sql`SELECT ${customers.key} AS key, ${customers.words} AS words ${knownCustomers(whom, value("caller"), sql`true`)}`;
});

/**
 * Those in whose names words are forgiven (docs/contract/interface.md, 4.6), for `findGiven`; null where there are none.
 * @param known what `readKnown` answers
 */
export function forgiveKnown(
  known: readonly Record<string, unknown>[],
  { words, forgivable }: { words: readonly string[]; forgivable: readonly string[] },
  limit: number,
): string | null {
  const found = known.flatMap(({ key, words: text }): { key: number; forgiven: string[] }[] => {
    const held = String(text).split(" ");
    const forgiven = words.filter((word) => !held.some((one) => one.startsWith(word)));
    const isForgiven = (word: string) => forgivable.includes(word) && held.some((one) => isTypoOf(word, one));
    return forgiven.every(isForgiven) ? [{ key: Number(key), forgiven }] : [];
  });
  const first = found
    .sort((one, other) => one.forgiven.length - other.forgiven.length || one.key - other.key)
    .slice(0, limit);
  return first.length === 0 ? null : JSON.stringify(first);
}

/** For a `WITH` clause: `found(rank, key, forgiven)`, as `forgiveKnown` has found them. */
export function findGiven(found: Placeholder): SQL {
  return sql`found(rank, key, forgiven) AS MATERIALIZED (
    SELECT key, value ->> '$.key', value -> '$.forgiven' FROM json_each(${found})
  )`;
}
