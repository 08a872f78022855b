import { type SQL, sql } from "drizzle-orm";

// A condition: a search that forgives typos may look for this word. It forgives a typo only in a word of five letters or more,
// and never in its first letter. So it never looks for a word of fewer than four characters. Words that begin with a digit are
// left out, because house numbers and postal codes would be most of the words of stores.
export const canBeMeant = (column: string) => `${column} GLOB '[^0-9]???*'`;

/** "merchant": the words of stores, campaigns and companies. */
export type Vocabulary = "merchant" | "customer";

/** Adds words to a vocabulary. `words`: all of them in one text, with blanks between them. */
export function addToVocabulary(vocabulary: Vocabulary, words: string): SQL {
  // Makes a JSON array of the words, to split them. No word has a quote.
  return sql`
    INSERT INTO ${sql.raw(`${vocabulary}_vocabulary`)} (word)
    SELECT value FROM json_each('["' || replace(${words}, ' ', '","') || '"]')
    WHERE ${sql.raw(canBeMeant("value"))}
    ON CONFLICT (word) DO NOTHING`;
}
