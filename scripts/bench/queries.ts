import { wordsOf } from "../../src/values/words.ts";
import { CommandError } from "../lib/command-error.ts";

/** Queries for records of one kind. */
export interface Misspelt {
  /** A common word with a typo. */
  one: string;
  /** Two words of a record, the second with a typo. */
  two: string;
  /** A word that is no typo of any other. */
  nothing: string;
}

/** Words with their records: the most common first, and with which other word each can be asked for. */
interface Source {
  index: string;
  common: string;
  beside: string;
}

export const IN_CUSTOMERS: Source = {
  index: "customer_words",
  common: `SELECT last_name AS text FROM customers WHERE erased = 0
    GROUP BY last_name ORDER BY count(*) DESC, last_name LIMIT 100`,
  beside: `SELECT first_name AS text FROM customers WHERE last_name = ? AND erased = 0
    GROUP BY first_name ORDER BY count(*) DESC, first_name LIMIT 1`,
};

export const IN_STORES: Source = {
  index: "store_words",
  common: `SELECT city AS text FROM stores WHERE deleted = 0
    GROUP BY city ORDER BY count(*) DESC, city LIMIT 100`,
  beside: "SELECT name AS text FROM stores WHERE city = ? AND deleted = 0 ORDER BY key LIMIT 1",
};

const LONG_ENOUGH = /^\p{L}{6,}$/u;
// Added to the beginning of a word: nothing begins so.
const NOTHING_NEAR = "qxzkw";

/** Common words, each with two letters in its middle swapped, so that no other word begins like it. */
export async function misspelt(database: D1Database, { index, common, beside }: Source): Promise<Misspelt> {
  for (const text of await textsOf(database, common)) {
    const [word = "", ...more] = wordsOf(text);
    if (more.length > 0 || !LONG_ENOUGH.test(word)) continue;
    const letters = [...word];
    const middle = Math.floor(letters.length / 2);
    const [left = "", right = ""] = letters.slice(middle - 1);
    const typo = letters.toSpliced(middle - 1, 2, right, left).join("");
    const found = database.prepare(`SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT 1`).bind(`"${typo}"*`);
    if (left === right || (await found.first()) !== null) continue;
    const [other = ""] = wordsOf(...(await textsOf(database, beside, text)));
    return { one: typo, two: `${other} ${typo}`, nothing: word.slice(0, 3) + NOTHING_NEAR };
  }
  throw new CommandError("There is no word of six letters in what was loaded: none can be misspelt.");
}

async function textsOf(database: D1Database, query: string, ...values: string[]): Promise<string[]> {
  const { results } = await database
    .prepare(query)
    .bind(...values)
    .all<{ text: string }>();
  return results.map(({ text }) => text);
}
