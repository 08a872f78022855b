import { type SQL, sql } from "drizzle-orm";

// Only words of five letters or more are forgiven a typo, and never in the first letter: so no word of fewer than four
// characters can be meant. House numbers and postal codes would be most of the words of stores. "+" begins no word.
export const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** The words of stores, campaigns and companies, or of customers. */
export type Vocabulary = "merchant" | "customer";

/** Adds words, with blanks between them. */
export function addToVocabulary(of: Vocabulary, words: string): SQL {
  return sql`
    INSERT INTO ${sql.raw(`${of}_vocabulary`)} (word)
    SELECT value FROM json_each('["' || replace(${words}, ' ', '","') || '"]')
    WHERE value ${sql.raw(CAN_BE_MEANT)}
    ON CONFLICT (word) DO NOTHING`;
}
