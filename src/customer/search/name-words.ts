import { codePoints } from "../../values/text.ts";

// The view expected_customer_words has the same two numbers.
const MANY_WORDS = 4;
const LETTERS_APART = 2;

/**
 * Beginnings as the search index of customers is asked for them. Where nobody with fewer words than `MANY_WORDS` can have
 * them all, the short ones are looked up among the letters that the index holds apart for the others.
 */
export function nameBeginnings(beginnings: readonly string[]): string[] {
  if (beginnings.length < MANY_WORDS) return [...beginnings];
  return beginnings.map((word) => (codePoints(word) <= LETTERS_APART ? `+${word}` : word));
}
