import { type SQL, sql } from "drizzle-orm";

// A search forgives a typo only in a word of five letters or more, and never in its first letter. So it never looks for a
// word of fewer than four characters. Words that begin with a digit are left out, because house numbers and postal codes would
// be most of the words of stores. What begins with "+" is no word (the view `expected_words`).
export const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** "merchant": the words of stores, campaigns and companies. */
export type Vocabulary = "merchant" | "customer";

/** Adds words, which have blanks between them. */
export function addToVocabulary(vocabulary: Vocabulary, words: string): SQL {
  // Makes a JSON array of the words, to split them. No word has a quote.
  return sql`
    INSERT INTO ${sql.raw(`${vocabulary}_vocabulary`)} (word)
    SELECT value FROM json_each('["' || replace(${words}, ' ', '","') || '"]')
    WHERE value ${sql.raw(CAN_BE_MEANT)}
    ON CONFLICT (word) DO NOTHING`;
}
