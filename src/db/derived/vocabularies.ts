import { type SQL, sql } from "drizzle-orm";
import { customerVocabulary, merchantVocabulary } from "../tables.ts";

/** The code points with which a word of Latin, Greek, Cyrillic, Hebrew, Arabic or Armenian letters may begin. */
const FIRST_LETTERS = [
  [97, 2303],
  [7296, 11391],
  [42560, 43007],
  [43824, 43887],
  [65139, 65139],
  [67456, 67456],
  [69314, 69319],
  [122624, 122666],
] as const;

// A condition: a search that forgives typos may look for this word. It forgives a typo only in a word of five letters or more
// of these scripts, and never in its first letter. So it never looks for a word of fewer than four characters, nor for one
// that begins with a digit or with a letter of another script. The trigger `accounts_update_words` has it too.
export const canBeMeant = (column: string) => {
  const ranges = FIRST_LETTERS.map(([first, last]) => `unicode(${column}) BETWEEN ${first} AND ${last}`);
  return `length(${column}) > 3 AND (${ranges.join(" OR ")})`;
};

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
