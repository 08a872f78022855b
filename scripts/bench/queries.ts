import { searchAll } from "../../src/customer/search/queries.ts";
import { LISTS } from "../../src/customer/search/scope.ts";
import { Database } from "../../src/db/database.ts";
import { wordsOf } from "../../src/values/words.ts";
import { Random } from "../demo/random.ts";
import { CommandError } from "../lib/command-error.ts";

// What a search is asked for where that is not simply a name: names with a typo, and many short words.

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
  indexes: readonly string[];
  common: string;
  beside: string;
}

export const IN_CUSTOMERS: Source = {
  indexes: ["customer_words"],
  common: `SELECT last_name AS text FROM customers WHERE erased = 0
    GROUP BY last_name ORDER BY count(*) DESC, last_name LIMIT 100`,
  beside: `SELECT first_name AS text FROM customers WHERE last_name = ? AND erased = 0
    GROUP BY first_name ORDER BY count(*) DESC, first_name LIMIT 1`,
};

export const IN_STORES: Source = {
  indexes: ["store_words"],
  common: `SELECT city AS text FROM stores WHERE deleted = 0
    GROUP BY city ORDER BY count(*) DESC, city LIMIT 100`,
  beside: "SELECT name AS text FROM stores WHERE city = ? AND deleted = 0 ORDER BY key LIMIT 1",
};

// The shortest word that is asked for with a typo; what is added to a word so that nothing begins so.
const LONG_ENOUGH = /^\p{L}{6,}$/u;
const NOTHING_NEAR = "qxzkw";

/** Common words, each with a typo in its middle that is the beginning of no other word. */
export async function misspelt(database: D1Database, { indexes, common, beside }: Source): Promise<Misspelt> {
  const texts = await textsOf(database, common);
  for (const text of texts) {
    const [word = "", ...more] = wordsOf(text);
    if (more.length > 0 || !LONG_ENOUGH.test(word)) continue;
    for (const typo of typosOf(word)) {
      if (await begins(database, indexes, typo)) continue;
      const [other = ""] = wordsOf(...(await textsOf(database, beside, text)));
      return { one: typo, two: `${other} ${typo}`, nothing: word.slice(0, 3) + NOTHING_NEAR };
    }
  }
  throw new CommandError("There is no word of six letters in what was loaded: none can be misspelt.");
}

/** The word with two neighbours in its middle swapped, with a letter less, with another one, and with one more. */
function typosOf(word: string): string[] {
  const letters = [...word];
  const middle = Math.floor(letters.length / 2);
  const [left = "", right = ""] = letters.slice(middle - 1);
  const typed = (from: number, count: number, ...instead: string[]) =>
    letters.toSpliced(from, count, ...instead).join("");
  return [
    ...(left === right ? [] : [typed(middle - 1, 2, right, left)]),
    typed(middle, 1),
    typed(middle, 1, "w"),
    typed(middle, 0, "w"),
  ];
}

async function begins(database: D1Database, indexes: readonly string[], word: string): Promise<boolean> {
  const statements = indexes.map((index) =>
    database.prepare(`SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT 1`).bind(`"${word}"*`),
  );
  const answers = await database.batch(statements);
  return answers.some(({ results }) => results.length > 0);
}

async function textsOf(database: D1Database, query: string, ...values: (string | number)[]): Promise<string[]> {
  const { results } = await database
    .prepare(query)
    .bind(...values)
    .all<{ text: string }>();
  return results.map(({ text }) => text);
}

const SAMPLE = 100;
const SLOW = 5;
const TIMES = 4;
const MOST_WORDS = 20;
const MOST_LETTERS = 3;
const QUERY_LIMIT = 100;
const SHORTEST_QUERY = 3;

/** Of many queries of words of one to three letters the one that takes SQLite longest: the slowest are asked again. */
export async function worstOfShortWords(database: D1Database): Promise<string> {
  const longestFirst = async (queries: readonly string[], times: number) => {
    const took = new Map<string, number>();
    for (const query of queries) {
      const asked = new Database(database, "first-unconstrained");
      for (let time = 0; time < times; time += 1) {
        await searchAll(asked, { words: wordsOf(query), typos: false, lists: LISTS, customerId: "", whom: "all" });
      }
      took.set(query, asked.usage.sqlMilliseconds);
    }
    return [...took.keys()].sort((one, other) => (took.get(other) ?? 0) - (took.get(one) ?? 0));
  };
  const slow = await longestFirst(await shortWords(database), 1);
  const [worst = ""] = await longestFirst(slow.slice(0, SLOW), TIMES);
  return worst;
}

/** The same for the same data: the first letters of words as the records have them. */
export async function shortWords(database: D1Database): Promise<string[]> {
  const everyOf = (table: string) =>
    textsOf(database, `SELECT words AS text FROM ${table} WHERE key % (1 + (SELECT max(key) FROM ${table}) / 500) = 0`);
  const words = wordsOf(...(await everyOf("customers")), ...(await everyOf("stores")));
  const random = new Random("short words");
  const beginning = () => [...random.pick(words)].slice(0, random.integer(1, MOST_LETTERS)).join("");
  const queries: string[] = [];
  while (queries.length < SAMPLE) {
    const query = Array.from({ length: random.integer(1, MOST_WORDS) }, beginning)
      .join(" ")
      .slice(0, QUERY_LIMIT)
      .trim();
    if (query.length >= SHORTEST_QUERY) queries.push(query);
  }
  return queries;
}
