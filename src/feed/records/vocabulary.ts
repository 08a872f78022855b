import { type SQL, sql } from "drizzle-orm";
import { type StateKind, tableName } from "./kind.ts";
import { columnIn } from "./line-texts.ts";

/**
 * Adds the words of written lines to the vocabulary of their kind, those of their companies too: once a parameter of
 * lines and word, because a trigger would look up each word of each line.
 */
export function addToVocabulary(kind: StateKind, text: string): SQL[] {
  if (kind.vocabulary === undefined) return [];
  const words = new Set(columnIn(kind, text, "words").flatMap((words) => words.split(" ")));
  const accounts = kind.account === undefined ? [] : [...new Set(columnIn(kind, text, kind.account))];
  const added = sql`SELECT value FROM ${eachOf([...words].join(" "))} WHERE value <> ''`;
  const companies = sql`UNION ${companyWords(kind, accounts)}`;
  return [
    sql`INSERT INTO ${kind.vocabulary} (word) ${added} ${accounts.length > 0 ? companies : sql``}
      ON CONFLICT (word) DO NOTHING`,
  ];
}

/** The words of accounts that some entry holds, by itself or by a mark: none where all entries are soft-deleted. */
function companyWords(kind: StateKind, accounts: readonly string[]): SQL {
  const index = sql.raw(`${kind.record}_words`);
  const far = sql.raw(`far_${tableName(kind)}_from`);
  return sql`
    SELECT word.value FROM json_each(${JSON.stringify(accounts)}) AS account
    CROSS JOIN accounts ON accounts.id = account.value
    CROSS JOIN ${eachOf(sql`accounts.words`)} AS word
    WHERE (accounts.deleted = 0 AND accounts.${far} IS NOT NULL)
      OR EXISTS (SELECT 1 FROM ${index} WHERE ${index} MATCH '"' || word.value || '"')`;
}

function eachOf(words: string | SQL): SQL {
  return sql`json_each('["' || replace(${words}, ' ', '","') || '"]')`;
}
