import { askDatabase, type Where } from "../lib/database.ts";

/** What each sum or state is called, and where the database has it: rows of `key` and `value`. */
const BOOKS = {
  amounts: "SELECT customer_id AS key, sum(amount) AS value FROM balance_entries WHERE id LIKE 'soak-%' GROUP BY 1",
  entries: "SELECT customer_id AS key, count(*) AS value FROM balance_entries WHERE id LIKE 'soak-%' GROUP BY 1",
  tokens: `SELECT store_id || ' ' || customer_id || ' ' || level_no AS key, sum(tokens) AS value
    FROM token_earnings WHERE id LIKE 'soak-%' GROUP BY 1`,
  runs: "SELECT location_id || ' ' || employee_id AS key, sum(runs) AS value FROM plays WHERE id LIKE 'soak-%' GROUP BY 1",
  hits: "SELECT location_id || ' ' || employee_id AS key, sum(hits) AS value FROM plays WHERE id LIKE 'soak-%' GROUP BY 1",
  messages: "SELECT group_id AS key, count(*) AS value FROM messages WHERE id LIKE 'soak-%' GROUP BY 1",
  members: `SELECT store_id || ' ' || customer_id AS key, 1 AS value FROM memberships
    WHERE joined_at = '2026-10-01 00:00:00' AND joined = 1`,
  phones: "SELECT id AS key, phone AS value FROM stores WHERE phone LIKE 'soak-%'",
  values: "SELECT id AS key, value FROM coupons WHERE name LIKE 'soak-%'",
};

type Book = keyof typeof BOOKS;

/** An independent account of what the feed has acknowledged, to be held against the database. */
export class Ledger {
  readonly #books = new Map<Book, Map<string, unknown>>();

  /** Adds to a sum; in hundredths where it is one of decimals. */
  add(book: Book, key: string, amount: number): void {
    const entries = this.#entries(book);
    entries.set(key, Number(entries.get(key) ?? 0) + amount);
  }

  /** Notes the state that counts from now on. */
  set(book: Book, key: string, value: unknown): void {
    this.#entries(book).set(key, value);
  }

  /** What the database says otherwise, a line each: what was acknowledged and is lost, or is counted twice. */
  async differences(where: Where): Promise<string[]> {
    const names = Object.keys(BOOKS) as Book[];
    const stored = await askDatabase<{ key: string; value: unknown }>(Object.values(BOOKS), where);
    return names.flatMap((name, index) => {
      const acknowledged = this.#entries(name);
      const kept = new Map(stored[index]?.map(({ key, value }) => [key, value]));
      const keys = [...new Set([...acknowledged.keys(), ...kept.keys()])];
      return keys
        .filter((key) => acknowledged.get(key) !== kept.get(key))
        .map((key) => `${name} of ${key}: acknowledged ${acknowledged.get(key)}, stored ${kept.get(key)}`);
    });
  }

  #entries(book: Book): Map<string, unknown> {
    const entries = this.#books.get(book) ?? new Map<string, unknown>();
    this.#books.set(book, entries);
    return entries;
  }
}
