import type { Derived } from "./derived.ts";

/** The words of each entry of the index of stores, and of the companies that marks in it stand for. */
export const storeVocabulary = vocabulary("store", {
  triggers: ["stores_update_words", "accounts_update_words"],
  marked: "far_stores_from",
});

/** The words of each entry of the index of campaigns, and of the companies that marks in it stand for. */
export const campaignVocabulary = vocabulary("campaign", {
  triggers: ["campaigns_update_words", "accounts_update_words"],
  marked: "far_campaigns_from",
});

/** The words of each entry of the index of customers. */
export const customerVocabulary = vocabulary("customer", { triggers: ["customers_update_words"] });

/**
 * A vocabulary follows from search indexes, as they are: these are recounted before it. The feed adds words
 * (feed/records/vocabulary.ts), triggers take them out. The key of a word, for ranges, is the code of its first letter.
 */
function vocabulary(noun: string, { triggers, marked }: { triggers: readonly string[]; marked?: string }): Derived {
  const table = `${noun}_vocabulary`;
  const companies = `
    UNION ALL
    SELECT term FROM chain_words_terms JOIN accounts ON accounts.key = doc WHERE ${marked} IS NOT NULL`;
  // A mark is no word: it begins with "+".
  const words = `SELECT term AS word FROM ${noun}_words_terms WHERE term NOT LIKE '+%'${marked ? companies : ""}`;
  return {
    name: `vocabulary of ${noun}s`,
    triggers,
    over: null,
    table,
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    values: [],
    expected: (range) => `SELECT DISTINCT word FROM (${words}) WHERE unicode(word) ${range}`,
    stored: (range) => `SELECT word FROM ${table} WHERE unicode(word) ${range}`,
    what: ["word"],
  };
}
