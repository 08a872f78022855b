import { type SQL, sql } from "drizzle-orm";

// Four characters or more, and no digit first: no other word is one typo away from one of five letters with the same first
// letter. House numbers and postal codes would be most of the words of stores. What begins with "+" is no word.
export const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** Of stores, campaigns and their companies, or of customers. */
export type Vocabulary = "merchant" | "customer";

/**
 * Adds the words of records that have been written, with blanks between them: once a word, where a trigger would look up
 * each word of each record.
 */
export function addToVocabulary(of: Vocabulary, words: string): SQL {
  return sql`
    INSERT INTO ${sql.raw(`${of}_vocabulary`)} (word)
    SELECT value FROM json_each('["' || replace(${words}, ' ', '","') || '"]')
    WHERE value ${sql.raw(CAN_BE_MEANT)}
    ON CONFLICT (word) DO NOTHING`;
}
