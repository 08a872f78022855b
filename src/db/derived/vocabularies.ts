import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

// Four characters or more, and no digit first: no other word is one typo away from one of five letters with the same first
// letter. House numbers and postal codes would be most of the words of stores. What begins with "+" is no word.
const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** Whose words a vocabulary has: those of stores and campaigns, which are found by their company's words too, or of customers. */
export type VocabularyOf = "merchant" | "customer";

export const merchantVocabulary = vocabulary(
  "merchant",
  ["store_words", "campaign_words"],
  ["stores_update_words", "campaigns_update_words", "accounts_update_words"],
);

export const customerVocabulary = vocabulary("customer", ["customer_words"], ["customers_update_words"]);

/**
 * A vocabulary follows from search indexes, as they are: they are recounted before it. The feed adds words, triggers take
 * them out. The key of a word, for ranges, is the code of its first letter.
 */
function vocabulary(of: VocabularyOf, indexes: readonly string[], triggers: readonly string[]): Derived {
  const table = `${of}_vocabulary`;
  const terms = indexes.map((index) => `SELECT term FROM ${index}_terms`);
  return {
    name: `vocabulary of ${of}s`,
    triggers,
    over: null,
    table,
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    values: [],
    expected: (range) => `
      SELECT DISTINCT term AS word FROM (${terms.join(" UNION ALL ")})
      WHERE term ${CAN_BE_MEANT} AND unicode(term) ${range}`,
    stored: (range) => `SELECT word FROM ${table} WHERE unicode(word) ${range}`,
    what: ["word"],
  };
}

/** What a request has written of a kind of record. */
export interface WrittenWords {
  /** With blanks between them. */
  words: string;
  /** The ids of the accounts of the records, whose companies' words their entries hold too. */
  accounts: readonly string[];
}

/** Adds the words of records that have been written: once a word, where a trigger would look up each word of each record. */
export function addToVocabulary(of: VocabularyOf, { words, accounts }: WrittenWords): SQL {
  return sql`
    INSERT INTO ${sql.raw(`${of}_vocabulary`)} (word)
    SELECT word FROM (
      SELECT value AS word FROM ${each(words)}
      UNION
      SELECT word.value FROM json_each(${JSON.stringify(accounts)}) AS account
      CROSS JOIN accounts ON accounts.id = account.value
      CROSS JOIN ${each(sql`accounts.words`)} AS word
    )
    WHERE word ${sql.raw(CAN_BE_MEANT)}
    ON CONFLICT (word) DO NOTHING`;
}

function each(words: string | SQL): SQL {
  return sql`json_each('["' || replace(${words}, ' ', '","') || '"]')`;
}
