import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

// Four characters or more, and no digit first: no other word is one typo away from one of five letters with the same first
// letter. House numbers and postal codes would be most of the words of stores. A mark, which begins with "+", is no word.
const CAN_BE_MEANT = "GLOB '[^0-9+]???*'";

/** The nouns that have a vocabulary. Those with accounts are found by their company's words too. */
export type SearchedNoun = "store" | "campaign" | "customer";

/** The words of each entry of the index of stores, and of the companies that marks in it stand for. */
export const storeVocabulary = vocabulary("store", ["stores_update_words", "accounts_update_words"]);

/** The words of each entry of the index of campaigns, and of the companies that marks in it stand for. */
export const campaignVocabulary = vocabulary("campaign", ["campaigns_update_words", "accounts_update_words"]);

/** The words of each entry of the index of customers. */
export const customerVocabulary = vocabulary("customer", ["customers_update_words"]);

/**
 * A vocabulary follows from search indexes, as they are: these are recounted before it. The feed adds words, triggers take
 * them out. The key of a word, for ranges, is the code of its first letter.
 */
function vocabulary(noun: SearchedNoun, triggers: readonly string[]): Derived {
  const table = `${noun}_vocabulary`;
  const companies = `
    UNION ALL
    SELECT term FROM chain_words_terms JOIN accounts ON accounts.key = doc WHERE far_${noun}s_from IS NOT NULL`;
  const words = `SELECT term AS word FROM ${noun}_words_terms ${noun === "customer" ? "" : companies}`;
  return {
    name: `vocabulary of ${noun}s`,
    triggers,
    over: null,
    table,
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    values: [],
    expected: (range) => `
      SELECT DISTINCT word FROM (${words}) WHERE word ${CAN_BE_MEANT} AND unicode(word) ${range}`,
    stored: (range) => `SELECT word FROM ${table} WHERE unicode(word) ${range}`,
    what: ["word"],
  };
}

/** What a request has written of a noun. */
export interface WrittenWords {
  /** With blanks between them. */
  words: string;
  /** The ids of the accounts of the records, if they have any. */
  accounts: readonly string[];
}

/** Adds the words of records that have been written: once a word, where a trigger would look up each word of each record. */
export function addToVocabulary(noun: SearchedNoun, { words, accounts }: WrittenWords): SQL {
  const index = sql.raw(`${noun}_words`);
  // Of a company those that an entry holds, by itself or by a mark: none if its records have all been soft-deleted.
  const companies = sql`
    UNION
    SELECT word.value FROM json_each(${JSON.stringify(accounts)}) AS account
    CROSS JOIN accounts ON accounts.id = account.value
    CROSS JOIN ${each(sql`accounts.words`)} AS word
    WHERE (accounts.deleted = 0 AND accounts.${sql.raw(`far_${noun}s_from`)} IS NOT NULL)
      OR EXISTS (SELECT 1 FROM ${index} WHERE ${index} MATCH '"' || word.value || '"')`;
  return sql`
    INSERT INTO ${sql.raw(`${noun}_vocabulary`)} (word)
    SELECT word FROM (SELECT value AS word FROM ${each(words)} ${accounts.length > 0 ? companies : sql``})
    WHERE word ${sql.raw(CAN_BE_MEANT)}
    ON CONFLICT (word) DO NOTHING`;
}

function each(words: string | SQL): SQL {
  return sql`json_each('["' || replace(${words}, ' ', '","') || '"]')`;
}
