import type { Query, SQL } from "drizzle-orm";
import { withTimeout } from "../values/timeout.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { writtenQuery } from "./dialect.ts";
import {
  DatabaseUnavailable,
  isTransient,
  outcomeOf,
  PrimaryStalled,
  toDatabaseError,
  wouldFailAtPrimary,
} from "./errors.ts";

/** A template of Drizzle's `sql`, such as `select(…)` of select.ts; a query of the builder; or a compiled statement. */
export type Statement<Row = unknown> = SQL<Row> | BuilderQuery<Row> | CompiledStatement<Row>;

/** A query of Drizzle's builder. A write without `returning` has no rows. */
export interface BuilderQuery<Row = unknown> {
  toSQL(): Query;
  readonly _: { readonly result: Row[] | undefined };
}

export interface CompiledStatement<Row> {
  toSQL(): Query;
  /** Never set: it carries the type. */
  readonly row?: Row;
}

/** The type of a statement's rows; any object if the template states no type. */
export type RowOf<S extends Statement> = S extends { readonly _: { readonly result: infer Rows } }
  ? Rows extends readonly (infer Row)[]
    ? Row
    : never
  : S extends SQL<infer Row> | CompiledStatement<infer Row>
    ? unknown extends Row
      ? Record<string, unknown>
      : Row
    : never;
/** Statements by names, in the order in which they run. */
type Statements = Readonly<Record<string, readonly Statement[]>>;
type RowsOf<S extends readonly Statement[]> = { -readonly [Index in keyof S]: RowOf<S[Index]>[] };

/** The cost of a request at D1, before its first call. */
export const noUsage = () => ({
  roundTrips: 0,
  statements: 0,
  milliseconds: 0,
  /** The time in SQLite, by D1's count. */
  sqlMilliseconds: 0,
  rowsRead: 0,
  rowsWritten: 0,
  /** The most attempts of one call, D1's own attempts included. */
  attempts: 0,
  /** These three are about the database that answered last; null if D1 does not say. */
  region: null as string | null,
  primary: null as boolean | null,
  databaseBytes: null as number | null,
});

export type Usage = ReturnType<typeof noUsage>;

/** A bookmark of a D1 session, or where a session without one begins. */
export type Consistency = "first-unconstrained" | "first-primary" | (string & {});

// D1 ends a statement after 30 seconds. A read gets less time, so that no customer waits that long. A write may take all of it.
const READ_LIMIT_MS = 5_000;
const WRITE_LIMIT_MS = 40_000;
// A till's client waits five seconds.
const ACT_LIMIT_MS = 4_000;
/** How long a replica may take to reach a bookmark. Of the reads right after a write, the primary then answers about 3 %. */
export const BOOKMARK_LIMIT_MS = 4_000;
const RETRY_WITHIN_MS = 2_000;
const FIRST_WAIT_MS = 50;

function isBookmark(start: Consistency): boolean {
  return start !== "" && !start.startsWith("first-");
}

/** The circuit breaker of each binding of D1. A deployment has one binding, but tests have several. */
const breakers = new WeakMap<object, CircuitBreaker>();

function breakerOf(d1: object): CircuitBreaker {
  const breaker = breakers.get(d1) ?? new CircuitBreaker();
  breakers.set(d1, breaker);
  return breaker;
}

/**
 * All calls to D1 go through this class. A request has one object, and each call is one round trip. Drizzle only writes
 * the statements: its `batch()` mixes up columns with the same name and drops D1's counts of rows (drizzle-orm 0.45).
 */
export class Database {
  readonly usage: Usage;
  readonly #d1: Pick<D1Database, "withSession">;
  #start: Consistency;
  /** The session that answered last. */
  #session: D1DatabaseSession | null = null;

  /** @param usage where calls add their cost; the sessions of one request share it. */
  constructor(d1: Pick<D1Database, "withSession">, consistency: Consistency, usage: Usage = noUsage()) {
    this.#d1 = d1;
    this.usage = usage;
    this.#start = consistency;
  }

  /** A session at the primary for work in the background. Its cost does not count for the request. */
  newPrimarySession(): Database {
    return new Database(this.#d1, "first-primary");
  }

  /** Begins the session here, unless it begins later already. For before the first call. */
  readAt(start: Consistency): void {
    const isLater = isBookmark(start) && !this.#isAtPrimary && !(isBookmark(this.#start) && this.#start >= start);
    if (isLater || start === "first-primary") this.#start = start;
  }

  /** A session that begins at this bookmark sees everything that this session has seen and written. */
  get bookmark(): string | null {
    return this.#session?.getBookmark() ?? null;
  }

  get #isAtPrimary(): boolean {
    return this.#start === "first-primary";
  }

  async all<S extends Statement>(statement: S): Promise<RowOf<S>[]> {
    const [rows] = await this.batch([statement]);
    return rows;
  }

  /**
   * The rows of each statement, in one round trip and one transaction. The statements must only read, or be safe to repeat:
   * if the connection is lost, they are sent again for two seconds. After five seconds without an answer the call fails. They
   * begin anew when a read goes to the primary because its replica does not reach the bookmark.
   * @throws {DatabaseUnavailable} if D1 has failed, or is full; D1's own error if a statement has failed.
   */
  async batch<const S extends readonly Statement[]>(statements: S): Promise<RowsOf<S>> {
    const queries = statements.map(writtenQuery);
    if (this.#session === null && isBookmark(this.#start)) {
      const results = await this.#sendAtBookmark(queries);
      if (results !== null) return results as RowsOf<S>;
    }
    const endsAt = performance.now() + READ_LIMIT_MS;
    const deadline = performance.now() + RETRY_WITHIN_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#send(queries, endsAt - performance.now(), attempt)) as RowsOf<S>;
      } catch (error) {
        const waitMs = Math.random() * FIRST_WAIT_MS * 2 ** attempt;
        if (!isTransient(error) || performance.now() + waitMs > deadline) throw toDatabaseError(error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /**
   * Runs the statements in the order of their names, in one round trip and one transaction. Resolves with the rows by name.
   * They may write, so they are sent only once.
   */
  async write<const S extends Statements>(statements: S) {
    return this.#write(statements, WRITE_LIMIT_MS);
  }

  /**
   * The write of a till or a customer (src/records/acts.ts), which is safe to repeat: like `write`, but it fails after four
   * seconds, and is sent once more if the connection is lost within them.
   * @param statements are written for each attempt anew, because each has an id of its own.
   */
  async act<const S extends Statements>(statements: (id: string) => S) {
    const endsAt = performance.now() + ACT_LIMIT_MS;
    const attempt = (number: number) =>
      this.#write(statements(crypto.randomUUID()), endsAt - performance.now(), number);
    try {
      return await attempt(1);
    } catch (error) {
      const waitMs = Math.random() * FIRST_WAIT_MS * 2;
      const isLost = error instanceof DatabaseUnavailable && isTransient(error.cause);
      if (!isLost || performance.now() + waitMs > endsAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return attempt(2);
    }
  }

  async #write<const S extends Statements>(statements: S, limitMs: number, attempt = 1) {
    const entries = Object.entries<readonly Statement[]>(statements);
    const queries = entries.flatMap(([, named]) => named).map(writtenQuery);
    try {
      const results = (await this.#send(queries, limitMs, attempt)).values();
      const rows = entries.map(([name, named]) => [name, named.flatMap(() => results.next().value ?? [])]);
      return Object.fromEntries(rows) as { -readonly [Name in keyof S]: RowOf<S[Name][number]>[] };
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  /**
   * The rows, or null if the database does not reach the bookmark in time: a replica lags, or the bookmark is from a database
   * that was replaced. The session then goes to the primary, which is never behind a bookmark.
   */
  async #sendAtBookmark(queries: readonly Query[]): Promise<Record<string, unknown>[][] | null> {
    try {
      return await this.#send(queries, BOOKMARK_LIMIT_MS);
    } catch (error) {
      if (wouldFailAtPrimary(error)) throw toDatabaseError(error);
      this.#start = "first-primary";
      return null;
    }
  }

  /** @throws {PrimaryStalled} at once, if the primary did not answer earlier calls. */
  async #send(queries: readonly Query[], limitMs: number, attempt = 1): Promise<Record<string, unknown>[][]> {
    if (queries.length === 0) return [];
    // At the primary each call has a session of its own: a later read of a session may go to a replica, which would wait until
    // it has what the first call saw.
    const session = (this.#isAtPrimary ? null : this.#session) ?? this.#d1.withSession(this.#start);
    const prepared = queries.map(({ sql, params }) => session.prepare(sql).bind(...params));
    const settle = this.#isAtPrimary ? breakerOf(this.#d1).enter() : () => {};
    if (settle === null) throw new PrimaryStalled("The primary has not answered in time.");
    const startedAt = performance.now();
    this.usage.roundTrips += 1;
    this.usage.statements += queries.length;
    this.usage.attempts = Math.max(this.usage.attempts, attempt);
    try {
      const results = await withTimeout(limitMs, session.batch<Record<string, unknown>>(prepared));
      this.#session = session;
      settle("answered");
      this.#addUsage(results, attempt);
      return results.map(({ results: rows }) => rows);
    } catch (error) {
      settle(outcomeOf(error));
      throw error;
    } finally {
      this.usage.milliseconds += performance.now() - startedAt;
    }
  }

  #addUsage(results: readonly D1Result[], attempt: number): void {
    for (const { meta } of results) {
      this.usage.sqlMilliseconds += meta.duration;
      this.usage.rowsRead += meta.rows_read;
      this.usage.rowsWritten += meta.rows_written;
      // D1 itself repeats a read up to twice.
      this.usage.attempts = Math.max(this.usage.attempts, attempt - 1 + (meta.total_attempts ?? 1));
      this.usage.region = meta.served_by_region ?? null;
      this.usage.primary = meta.served_by_primary ?? null;
      this.usage.databaseBytes = meta.size_after;
    }
  }
}
