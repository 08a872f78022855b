import { type SQL, sql } from "drizzle-orm";
import { customerVocabulary, merchantVocabulary } from "../tables.ts";

// A condition: a search that forgives typos may look for this word. It forgives a typo only in a word of five letters or more,
// and never in its first letter. So it never looks for a word of fewer than four characters. Words that begin with a digit are
// left out, because house numbers and postal codes would be most of the words of stores.
export const canBeMeant = (column: string) => `${column} GLOB '[^0-9]???*'`;

/** "merchant": the words of stores, campaigns and companies. */
export const VOCABULARIES = { merchant: merchantVocabulary, customer: customerVocabulary };
export type Vocabulary = keyof typeof VOCABULARIES;

/** Adds the words of lines to a vocabulary, each word once. `lines`: a subquery with the column `words`. */
export function addToVocabulary(vocabulary: Vocabulary, lines: SQL): SQL {
  return sql`
    INSERT INTO ${VOCABULARIES[vocabulary]} (word)
    SELECT DISTINCT word.value
    FROM ${lines} AS line CROSS JOIN ${eachWord(sql`line.words`)} AS word
    WHERE ${sql.raw(canBeMeant("word.value"))}
    ON CONFLICT (word) DO NOTHING`;
}

/** The words of a text, one in each row. No word has a quote. */
export function eachWord(words: SQL): SQL {
  return sql`json_each('["' || replace(${words}, ' ', '","') || '"]')`;
}

/** Whether some entry of an index of words has this word, or with `*` a word that begins so. */
export function isIndexed(index: string, word: SQL, star: "" | "*" = ""): SQL {
  const name = sql.raw(index);
  return sql`EXISTS (SELECT 1 FROM ${name} WHERE ${name} MATCH '"' || ${word} || ${sql.raw(`'"${star}'`)})`;
}
