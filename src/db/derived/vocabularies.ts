import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

// Four characters or more, and no digit first: no other word is one typo away from one of five letters with the same first
// letter. House numbers and postal codes would be most of the words of stores. What begins with "+" is no word.
const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** Of stores, campaigns and their companies, or of customers. */
export type Vocabulary = "merchant" | "customer";

/** A word that none of them has any more may stay, and finds nothing. */
export const merchantVocabulary = /* @__PURE__ */ vocabulary(
  "merchant",
  ["store_words", "campaign_words"],
  `AND (
    EXISTS (SELECT 1 FROM store_words WHERE store_words MATCH '"' || word || '"')
    OR EXISTS (SELECT 1 FROM campaign_words WHERE campaign_words MATCH '"' || word || '"')
  )`,
);

/** Of an erased customer no word stays that nobody else has: a trigger takes it out. */
export const customerVocabulary = /* @__PURE__ */ vocabulary("customer", ["customer_words"], "");

/**
 * A vocabulary follows from search indexes, as they are: they are recounted before it. The key of a word, for ranges, is
 * the code of its first letter.
 */
function vocabulary(of: Vocabulary, indexes: readonly string[], andIsUsed: string): Derived {
  const table = `${of}_vocabulary`;
  const terms = indexes.map((index) => `SELECT term FROM ${index}_terms`);
  return {
    name: `vocabulary of ${of}s`,
    over: null,
    table,
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    values: [],
    expected: (range) => `
      SELECT DISTINCT term AS word FROM (${terms.join(" UNION ALL ")})
      WHERE term ${CAN_BE_MEANT} AND unicode(term) ${range}`,
    stored: (range) => `SELECT word FROM ${table} WHERE unicode(word) ${range} ${andIsUsed}`,
  };
}

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
