import { compareCodePoints } from "../../values/code-points.ts";
import { isTypoOf } from "./known-customers.ts";

/** A record that is shown: its words, and the words of the query that were forgiven in it. */
export interface Forgiving {
  words: readonly string[];
  forgiven: readonly string[];
}

const MEANT_LIMIT = 5;
/** A description may be one word of 4,000 characters, which five words of a query may all be a beginning of. */
const WORD_LIMIT = 100;

/** The words of records that a forgiven word was taken for: those of the most records first, then by code point. */
export function meantBy(word: string, shown: readonly Forgiving[]): string[] {
  const held = shown
    .filter(({ forgiven }) => forgiven.includes(word))
    .flatMap(({ words }) => [...new Set(words)].filter((one) => one.length <= WORD_LIMIT && isTypoOf(word, one)));
  const counts = new Map<string, number>();
  for (const one of held) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([one, times], [other, otherTimes]) => otherTimes - times || compareCodePoints(one, other))
    .slice(0, MEANT_LIMIT)
    .map(([one]) => one);
}
