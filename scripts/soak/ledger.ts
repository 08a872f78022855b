import { askDatabase, type Where } from "../lib/database.ts";

/** What each sum or state is called, and where the database has it: rows of `key` and `value`. */
const BOOKS = {
  amounts: `SELECT customers.id AS key, sum(amount) AS value ${soaked("balance_entries", "customer")}`,
  entries: `SELECT customers.id AS key, count(*) AS value ${soaked("balance_entries", "customer")}`,
  tokens: `SELECT stores.id || ' ' || customers.id || ' ' || level_no AS key, sum(tokens) AS value
    ${soaked("token_earnings", "store", "customer")}`,
  runs: `SELECT stores.id || ' ' || employees.id AS key, sum(runs) AS value ${soaked("plays", "location", "employee")}`,
  hits: `SELECT stores.id || ' ' || employees.id AS key, sum(hits) AS value ${soaked("plays", "location", "employee")}`,
  messages: `SELECT message_groups.id AS key, count(*) AS value ${soaked("messages", "group")}`,
  members: `SELECT stores.id || ' ' || customers.id AS key, 1 AS value ${joined("memberships", "store", "customer")}
    WHERE joined_at = '2026-10-01 00:00:00' AND joined = 1`,
  phones: "SELECT id AS key, phone AS value FROM stores WHERE phone LIKE 'soak-%'",
  values: "SELECT id AS key, text ->> '$.value' AS value FROM coupons WHERE text ->> '$.name' LIKE 'soak-%'",
};

type Book = keyof typeof BOOKS;

/** The messages that the soak has fed, as the database has them. */
export const STORED_MESSAGES = `SELECT messages.id, message_groups.id AS "group", sent_at AS sentAt
  FROM messages JOIN message_groups ON message_groups.key = messages.group_key WHERE messages.id LIKE 'soak-%'`;

/** A message that the feed has acknowledged, as the database has it. */
export interface StoredMessage {
  id: string;
  group: string;
  sentAt: string;
  /** In milliseconds since 1970. */
  acknowledgedAt: number;
}

/** The number of the fed file that a message's id or text names; 0 for one that the soak has not fed. */
export function fileOf(text: string): number {
  return Number(/soak-(\d+)-/.exec(text)?.[1] ?? 0);
}

/** An independent account of what the feed has acknowledged, to be held against the database. */
export class Ledger {
  readonly #books = new Map<Book, Map<string, unknown>>();
  readonly #messages = new Map<string, number>();

  /** Notes a message that is acknowledged now. */
  addMessage(id: string, group: string): void {
    this.add("messages", group, 1);
    this.#messages.set(id, Date.now());
  }

  /** The acknowledged messages among those that the database has. */
  acknowledged(stored: readonly Omit<StoredMessage, "acknowledgedAt">[]): StoredMessage[] {
    return stored.flatMap((message) => {
      const acknowledgedAt = this.#messages.get(message.id);
      return acknowledgedAt === undefined ? [] : [{ ...message, acknowledgedAt }];
    });
  }

  /** When the last message was acknowledged, in milliseconds since 1970; 0 where none was. */
  get lastMessageAt(): number {
    return Math.max(0, ...[...this.#messages.values()].slice(-1));
  }

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
      const held = new Map(stored[index]?.map(({ key, value }) => [key, value]));
      const keys = [...new Set([...acknowledged.keys(), ...held.keys()])];
      return keys
        .filter((key) => acknowledged.get(key) !== held.get(key))
        .map((key) => `${name} of ${key}: acknowledged ${acknowledged.get(key)}, stored ${held.get(key)}`);
    });
  }

  #entries(book: Book): Map<string, unknown> {
    const entries = this.#books.get(book) ?? new Map<string, unknown>();
    this.#books.set(book, entries);
    return entries;
  }
}

type Reference = "customer" | "store" | "location" | "employee" | "group";

/** The events that the soak has fed, by what they refer to: what stands after `SELECT`. */
function soaked(events: string, ...references: readonly Reference[]): string {
  return `${joined(events, ...references)} WHERE ${events}.id LIKE 'soak-%' GROUP BY 1`;
}

/** A table with the tables that its keys refer to, which have the public ids. */
function joined(table: string, ...references: readonly Reference[]): string {
  const tables = {
    customer: "customers",
    store: "stores",
    location: "stores",
    employee: "employees",
    group: "message_groups",
  };
  return `FROM ${table} ${references.map((one) => `JOIN ${tables[one]} ON ${tables[one]}.key = ${table}.${one}_key`).join(" ")}`;
}
