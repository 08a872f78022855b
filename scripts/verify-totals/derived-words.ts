import { getTableName, type SQL, sql } from "drizzle-orm";
import { canBeMeant, eachWord, isIndexed, VOCABULARIES, type Vocabulary } from "../../src/db/derived/vocabularies.ts";
import { removedWords } from "../../src/db/tables.ts";
import { accounts } from "../../src/records/account.ts";
import { campaigns } from "../../src/records/campaign.ts";
import { stores } from "../../src/records/store.ts";
import type { Derived } from "./definition.ts";

/**
 * The entries of a search index. FTS5 stores no contents here, but the table `…_terms` lists the words of each entry. The
 * view `expected_words` has the words that must be there. A JSON array splits them at their blanks: no word has a quote.
 */
function searchIndex(name: string, table: string, over: "stores" | "campaigns" | "customers"): Derived {
  const ofRemovedAccounts = sql.raw(
    `SELECT key FROM ${over} WHERE account_key IN (SELECT account_key FROM removed_accounts)`,
  );
  // A job removes the entries of soft-deleted accounts.
  const waiting = over === "customers" ? sql`0` : ofRemovedAccounts;
  return {
    name,
    over,
    table,
    storedAs: "search index",
    absent: "a difference",
    key: ["key", "term"],
    expected: (range) => sql`
      SELECT entry.key, term.value AS term
      FROM expected_words AS entry, ${eachWord(sql`entry.words`)} AS term
      WHERE search_index = ${table} AND entry.key ${range} AND term.value <> ''`,
    stored: (range) => sql`
      SELECT doc AS key, term FROM ${sql.raw(table)}_terms WHERE doc ${range} AND doc NOT IN (${waiting})`,
  };
}

/**
 * The words of search indexes. A range of keys limits them by the code of their first letter. `isCompared`: a condition on
 * the stored words.
 */
function vocabularyOf(vocabulary: Vocabulary, indexes: readonly string[], isCompared: SQL): Derived {
  const words = VOCABULARIES[vocabulary];
  const terms = indexes.map((index) => `SELECT term FROM ${index}_terms`);
  return {
    name: `vocabulary of ${vocabulary}s`,
    over: null,
    table: getTableName(words),
    storedAs: "rows",
    absent: "a difference",
    key: ["word"],
    expected: (range) => sql`
      SELECT DISTINCT term AS word FROM (${sql.raw(terms.join(" UNION ALL "))})
      WHERE ${sql.raw(canBeMeant("term"))} AND unicode(term) ${range}`,
    stored: (range) => sql`SELECT ${words.word} FROM ${words} WHERE unicode(${words.word}) ${range} AND ${isCompared}`,
  };
}

/** What searches read, in the order of a repair. */
export const DERIVED_WORDS: readonly Derived[] = [
  searchIndex("words of stores", "store_words", "stores"),
  searchIndex("words of campaigns", "campaign_words", "campaigns"),
  searchIndex("words of customers", "customer_words", "customers"),
  // A word that no entry has may stay if a row has it, such as one of a soft-deleted record, or if a job will remove it.
  vocabularyOf(
    "merchant",
    ["store_words", "campaign_words"],
    sql`(
      ${isIndexed("store_words", sql`word`)} OR ${isIndexed("campaign_words", sql`word`)} OR word NOT IN (
        SELECT value FROM (
          SELECT ${accounts.words} FROM ${accounts} UNION ALL SELECT ${stores.words} FROM ${stores}
          UNION ALL SELECT ${campaigns.words} FROM ${campaigns} UNION ALL SELECT ${removedWords.words} FROM ${removedWords}
        ) AS stored CROSS JOIN ${eachWord(sql`stored.words`)}
      )
    )`,
  ),
  // A trigger removes the words of an erased customer that nobody else has.
  vocabularyOf("customer", ["customer_words"], sql`true`),
];
