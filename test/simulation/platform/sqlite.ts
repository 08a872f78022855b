import { DatabaseSync, type StatementSync } from "node:sqlite";

export interface Query {
  sql: string;
  params: (string | number | null)[];
}

export type Rows = Record<string, unknown>[];

/** What a batch has come to: its rows; or that it writes, which only the primary may. */
export type Transaction = { rows: Rows[]; wrote: boolean } | "writes";

// So many prepared statements a connection are kept.
const PREPARED_LIMIT = 400;
const SQLITE_CODES: Readonly<Record<number, string>> = { 1: "ERROR", 8: "READONLY", 13: "FULL", 19: "CONSTRAINT" };
const READONLY = 8;

// As migrations/0001_program.sql has it, but for where the time comes from.
const SIMULATED_CLOCK = `
  DROP VIEW clock;
  CREATE VIEW clock AS
  SELECT datetime(simulated_now() / 1000, 'unixepoch') AS now, date(simulated_now() / 1000, 'unixepoch') AS today,
    CAST(simulated_now() % 1000 AS INTEGER) AS millisecond;`;

/** Makes a database of these migrations, whose time is simulated. */
export function createDatabase(file: string, migrations: readonly string[]): void {
  const database = new DatabaseSync(file);
  database.function("simulated_now", () => 0);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  const [clock = "", ...others] = migrations;
  for (const migration of [clock, SIMULATED_CLOCK, ...others]) database.exec(migration);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** A connection with its prepared statements. */
class Connection {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string, { readOnly, now }: { readOnly: boolean; now: () => number }) {
    this.database = new DatabaseSync(file, { readOnly });
    this.database.function("simulated_now", now);
    if (!readOnly) this.database.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  }

  all({ sql, params }: Query): Rows {
    const statement = this.#prepared.get(sql) ?? this.database.prepare(sql);
    this.#prepared.delete(sql);
    this.#prepared.set(sql, statement);
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size <= PREPARED_LIMIT) break;
      this.#prepared.delete(oldest);
    }
    return statement.all(...params) as Rows;
  }
}

/** A copy of a database: its primary, or a replica, which is the primary as of some commit. */
export class Instance {
  readonly name: string;
  /** Nothing is answered before, in milliseconds of simulated time. */
  stalledUntil = 0;
  /** Goes up whenever all that was under way is lost. */
  generation = 0;
  readonly #file: string;
  readonly #isPrimary: boolean;
  readonly #now: () => number;
  #connection: Connection;
  /** Connections that hold no snapshot. */
  readonly #spare: Connection[] = [];
  #next: { connection: Connection; commit: number } | null = null;
  #statementAt = 0;
  #commit = 0;
  #changes: unknown = 0;
  /** Those who wait for a commit. */
  #waiting: { commit: number; resume: () => void }[] = [];

  /** @param clock this copy's own clock; it is asked before each statement. */
  constructor(name: string, file: string, { isPrimary, clock }: { isPrimary: boolean; clock: () => number }) {
    this.name = name;
    this.#file = file;
    this.#isPrimary = isPrimary;
    this.#now = clock;
    this.#connection = this.#open();
    if (!isPrimary) snapshot(this.#connection);
  }

  /** The last commit that it has. */
  get commit(): number {
    return this.#commit;
  }

  set commit(commit: number) {
    this.#commit = commit;
    for (const one of this.#waiting) if (one.commit <= commit) one.resume();
    this.#waiting = this.#waiting.filter((one) => one.commit > commit);
  }

  /** Resolves once it has this commit. */
  async reached(commit: number): Promise<void> {
    if (this.#commit < commit) await new Promise<void>((resume) => this.#waiting.push({ commit, resume }));
  }

  /** Runs statements in one transaction, each at the time that the clock says then. */
  transact(queries: readonly Query[], { isFull = false } = {}): Transaction {
    const { database } = this.#connection;
    if (!this.#isPrimary) {
      try {
        return { rows: queries.map((query) => this.#all(query)), wrote: false };
      } catch (error) {
        if (codeOf(error) === READONLY) return "writes";
        throw toD1Error(error);
      }
    }
    if (isFull) database.exec(`PRAGMA max_page_count = 1`);
    this.#connection.all({ sql: "BEGIN IMMEDIATE", params: [] });
    try {
      const rows = queries.map((query) => this.#all(query));
      this.#connection.all({ sql: "COMMIT", params: [] });
      const wrote = this.#hasChanged();
      if (wrote) this.commit += 1;
      return { rows, wrote };
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      this.#hasChanged();
      throw toD1Error(error);
    } finally {
      if (isFull) database.exec("PRAGMA max_page_count = 4294967294");
    }
  }

  /** What one statement reads, without the faults of D1: what the rules of the simulation look at. */
  read<Row = Record<string, unknown>>(sql: string, ...params: (string | number | null)[]): Row[] {
    return this.#all({ sql, params }) as Row[];
  }

  /** Takes hold of what the primary has now, to show it later. */
  beginToCatchUp(primary: Instance): void {
    const connection = this.#spare.pop() ?? this.#open();
    snapshot(connection);
    this.#next = { connection, commit: primary.commit };
  }

  /** Shows what it has taken hold of. */
  catchUp(): void {
    if (this.#next === null) return;
    this.#connection.database.exec("COMMIT");
    this.#spare.push(this.#connection);
    ({ connection: this.#connection, commit: this.commit } = this.#next);
    this.#next = null;
  }

  /** Lets go of the file, so that its log may be emptied. */
  release(): void {
    this.#connection.database.exec("COMMIT");
    if (this.#next === null) return;
    this.#next.connection.database.exec("COMMIT");
    this.#spare.push(this.#next.connection);
    this.#next = null;
  }

  /** Takes the file up again, as it is now. */
  resume(primary: Instance): void {
    snapshot(this.#connection);
    this.commit = primary.commit;
  }

  /** Moves the log into the file: no copy may hold a snapshot. */
  emptyLog(): void {
    this.#connection.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  backUp(file: string): void {
    this.#connection.database.exec(`VACUUM INTO '${file}'`);
  }

  close(): void {
    for (const { database } of [this.#connection, ...this.#spare.splice(0)]) database.close();
  }

  /** Opens the file anew, after it was replaced. */
  reopen(): void {
    this.#connection = this.#open();
    this.#changes = 0;
    if (this.#isPrimary) this.#connection.database.exec("PRAGMA journal_mode = WAL");
    this.generation += 1;
  }

  #open(): Connection {
    return new Connection(this.#file, { readOnly: !this.#isPrimary, now: () => this.#statementAt });
  }

  #all(query: Query): Rows {
    this.#statementAt = this.#now();
    return this.#connection.all(query);
  }

  /** Whether rows were written since it was called last, also such as are undone. */
  #hasChanged(): boolean {
    const before = this.#changes;
    this.#changes = this.#connection.all({ sql: "SELECT total_changes() AS changes", params: [] })[0]?.changes;
    return this.#changes !== before;
  }
}

function snapshot({ database }: Connection): void {
  database.exec("BEGIN");
  database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
}

function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}

function toD1Error(error: unknown): unknown {
  const code = SQLITE_CODES[codeOf(error)];
  return error instanceof Error && code !== undefined
    ? new Error(`D1_ERROR: ${error.message}: SQLITE_${code}`, { cause: error })
    : error;
}
