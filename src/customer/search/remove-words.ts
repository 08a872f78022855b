import { sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { eachWord, isIndexed } from "../../db/derived/vocabularies.ts";
import { limitTo, select } from "../../db/select.ts";
import { merchantVocabulary, removedAccounts, removedWords } from "../../db/tables.ts";
import { accounts } from "../../records/account.ts";
import { campaigns } from "../../records/campaign.ts";
import { stores } from "../../records/store.ts";

const ACCOUNTS_A_RUN = 500;
/** The step goes through so many keys, of records of any account. */
const KEYS_A_STEP = 5_000;
const TEXTS_A_STEP = 50;

/**
 * Removes the entries of the stores and campaigns of soft-deleted accounts, then words from the vocabulary that no entry has
 * any more. Each step is a small transaction. Steps that an unfinished run has done are done again, with nothing to do.
 */
export async function removeWords(db: Database, mayGoOn: () => boolean) {
  const entriesAreDone = await removeEntries(db, mayGoOn);
  let removed = 0;
  let isDone = false;
  while (entriesAreDone && !isDone && mayGoOn()) {
    const step = await removeDeadWords(db);
    removed += step.words.length;
    isDone = step.texts.length < TEXTS_A_STEP;
  }
  return { removed, isDone };
}

/** Resolves with whether no account is left. */
async function removeEntries(db: Database, mayGoOn: () => boolean): Promise<boolean> {
  const rows = await db.all(
    select({ key: removedAccounts.account_key }, sql`FROM ${removedAccounts} ${limitTo(ACCOUNTS_A_RUN)}`),
  );
  if (rows.length === 0) return true;
  const isRemoved = sql`IN (SELECT value FROM json_each(${JSON.stringify(rows.map(({ key }) => key))}))`;
  for (const [table, index] of [
    [stores, "store_words"],
    [campaigns, "campaign_words"],
  ] as const) {
    const [last] = await db.all(select({ key: sql<number>`coalesce(max(${table.key}), 0)` }, sql`FROM ${table}`));
    for (let after = 0; after < (last?.key ?? 0); after += KEYS_A_STEP) {
      if (!mayGoOn()) return false;
      const where = sql`
        WHERE ${table.key} > ${after} AND ${table.key} <= ${after + KEYS_A_STEP} AND ${table.account_key} ${isRemoved}`;
      await db.write({
        words: [sql`INSERT INTO ${removedWords} (words) SELECT DISTINCT ${table.words} FROM ${table} ${where}`],
        entries: [sql`DELETE FROM ${sql.raw(index)} WHERE rowid IN (SELECT ${table.key} FROM ${table} ${where})`],
      });
    }
  }
  await db.write({
    words: [
      sql`INSERT INTO ${removedWords} (words) SELECT ${accounts.words} FROM ${accounts} WHERE ${accounts.key} ${isRemoved}`,
    ],
    accounts: [sql`DELETE FROM ${removedAccounts} WHERE account_key ${isRemoved}`],
  });
  return rows.length < ACCOUNTS_A_RUN;
}

/** Keeps the words of companies, because a new store gets them without a line of its account. */
async function removeDeadWords(db: Database) {
  const { word } = merchantVocabulary;
  const ofCompanies = sql`SELECT value FROM ${accounts} CROSS JOIN ${eachWord(sql`${accounts.words}`)} WHERE ${accounts.deleted} = 0`;
  const first = sql`FROM ${removedWords} ORDER BY ${removedWords.key} ${limitTo(TEXTS_A_STEP)}`;
  return db.write({
    words: [
      sql<{ word: string }>`DELETE FROM ${merchantVocabulary}
        WHERE ${word} IN (SELECT value FROM (SELECT words ${first}) CROSS JOIN ${eachWord(sql`words`)})
          AND NOT ${isIndexed("store_words", sql`${word}`)} AND NOT ${isIndexed("campaign_words", sql`${word}`)}
          AND ${word} NOT IN (${ofCompanies})
        RETURNING ${word}`,
    ],
    texts: [
      sql<{
        key: number;
      }>`DELETE FROM ${removedWords} WHERE ${removedWords.key} IN (SELECT ${removedWords.key} ${first})
        RETURNING ${removedWords.key}`,
    ],
  });
}
