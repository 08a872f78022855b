import { askDatabase, type Where } from "../lib/database.ts";
import type { Line } from "../program/line.ts";

/** Where the database has what a kind of record comes to: rows of `key`, and of the values as a JSON array. */
const BOOKS = {
  balance_entry: `SELECT customers.id AS key, json_array(count(*), sum(amount)) AS value FROM balance_entries
    JOIN customers ON customers.key = customer_key WHERE balance_entries.id LIKE 'soak-%' GROUP BY 1`,
  token_earning: `SELECT stores.id || ' ' || customers.id || ' ' || level_no AS key,
    json_array(count(*), sum(tokens)) AS value FROM token_earnings JOIN stores ON stores.key = store_key
    JOIN customers ON customers.key = customer_key WHERE token_earnings.id LIKE 'soak-%' GROUP BY 1`,
  play: `SELECT stores.id || ' ' || employees.id AS key, json_array(count(*), sum(runs), sum(hits)) AS value FROM plays
    JOIN stores ON stores.key = location_key JOIN employees ON employees.key = employee_key
    WHERE plays.id LIKE 'soak-%' GROUP BY 1`,
  message: `SELECT message_groups.id AS key, json_array(count(*)) AS value FROM messages
    JOIN message_groups ON message_groups.key = group_key WHERE messages.id LIKE 'soak-%' GROUP BY 1`,
  membership: `SELECT stores.id || ' ' || customers.id AS key, json_array(joined) AS value FROM memberships
    JOIN stores ON stores.key = store_key JOIN customers ON customers.key = customer_key
    WHERE joined_at = '2026-10-01 00:00:00'`,
  store: "SELECT id AS key, json_array(phone) AS value FROM stores WHERE phone LIKE 'soak-%'",
  coupon: `SELECT id AS key, json_array(text ->> '$.name') AS value FROM coupons
    WHERE text ->> '$.name' LIKE 'soak-%'`,
};

type Book = keyof typeof BOOKS;

/** A line of the feed, and what it adds to (an event's amounts, in hundredths) or puts at a key of its book. */
export interface BookedLine {
  line: Line & { record: Book };
  key: string;
  amounts?: readonly number[];
  state?: unknown;
}

/** An independent account of what the feed has acknowledged, to be compared with the database. */
export class Ledger {
  readonly #books = new Map<string, Map<string, unknown[]>>();

  /** Notes a line that is acknowledged. */
  add({ line, key, amounts, state }: BookedLine): void {
    const book = this.#books.get(line.record) ?? new Map<string, unknown[]>();
    this.#books.set(line.record, book);
    const before = book.get(key) ?? [];
    const added = [1, ...(amounts ?? [])];
    book.set(key, amounts === undefined ? [state] : added.map((amount, index) => amount + Number(before[index] ?? 0)));
  }

  /** Where the database disagrees, a line each: what was acknowledged and is lost, or is counted twice. */
  async differences(where: Where): Promise<string[]> {
    const stored = await askDatabase<{ key: string; value: string }>(Object.values(BOOKS), where);
    return Object.keys(BOOKS).flatMap((name, index) => {
      const acknowledged = this.#books.get(name) ?? new Map<string, unknown[]>();
      const held = new Map(stored[index]?.map(({ key, value }) => [key, value]));
      return [...new Set([...acknowledged.keys(), ...held.keys()])].flatMap((key) => {
        const expected = JSON.stringify(acknowledged.get(key));
        const found = held.get(key);
        return expected === found ? [] : [`${name} of ${key}: acknowledged ${expected}, stored ${found}`];
      });
    });
  }
}
