import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

export interface Query {
  sql: string;
  params: (string | number | null)[];
}

export type Rows = Record<string, unknown>[];

/** The rows of a batch, and whether it wrote; "writes": nothing was done, because only the primary can write. */
export type Transaction = { rows: Rows[]; wrote: boolean } | "writes";

const SQLITE_CODES: Readonly<Record<number, string>> = { 1: "ERROR", 8: "READONLY", 13: "FULL", 19: "CONSTRAINT" };
const READONLY = 8;

// As in migrations/0001_program.sql, but with the simulated time.
const SIMULATED_CLOCK = `
  DROP VIEW clock;
  CREATE VIEW clock AS
  SELECT datetime(simulated_now() / 1000, 'unixepoch') AS now, date(simulated_now() / 1000, 'unixepoch') AS today,
    CAST(simulated_now() % 1000 AS INTEGER) AS millisecond;`;

const MEMORY_FOLDER = "/dev/shm";
const folders = new Set<string>();
// Ctrl-C may end the process in the middle of a run.
process.on("exit", () => folders.forEach(removeFolder));

/** A folder for databases, in memory if the system has a file system in memory. */
export function createFolder(): string {
  const folder = mkdtempSync(path.join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), "simulation-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Creates a database with these migrations, whose clock is simulated. */
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
    this.#prepared.set(sql, statement);
    return statement.all(...params) as Rows;
  }
}

/** A copy of the database: the primary, or a replica, which shows the primary as of an earlier commit. */
export class Instance {
  readonly name: string;
  /** Until when it answers nothing, in milliseconds since 1970. */
  stalledUntil = 0;
  /** Increases when the copy is reset. Then batches that have not been answered fail. */
  generation = 0;
  readonly #file: string;
  readonly #isPrimary: boolean;
  readonly #now: () => number;
  #connection: Connection;
  /** Open connections without a snapshot. */
  readonly #spare: Connection[] = [];
  #next: { connection: Connection; commit: number } | null = null;
  #statementAt = 0;
  #commit = 0;
  #changes: unknown = 0;
  #waiting: { commit: number; resume: () => void }[] = [];

  /** @param clock the clock of this copy. Each statement reads it anew. */
  constructor(name: string, file: string, { isPrimary, clock }: { isPrimary: boolean; clock: () => number }) {
    this.name = name;
    this.#file = file;
    this.#isPrimary = isPrimary;
    this.#now = clock;
    this.#connection = this.#open();
    if (!isPrimary) snapshot(this.#connection);
  }

  /** What its clock said at the last statement, in milliseconds since 1970. */
  get statementAt(): number {
    return this.#statementAt;
  }

  get commit(): number {
    return this.#commit;
  }

  set commit(commit: number) {
    this.#commit = commit;
    for (const waiter of this.#waiting) if (waiter.commit <= commit) waiter.resume();
    this.#waiting = this.#waiting.filter((waiter) => waiter.commit > commit);
  }

  async reached(commit: number): Promise<void> {
    if (this.#commit < commit) await new Promise<void>((resume) => this.#waiting.push({ commit, resume }));
  }

  /** Runs the statements in one transaction. */
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

  /** Runs a statement without D1's faults, for the rules. */
  read<Row = Record<string, unknown>>(sql: string, ...params: (string | number | null)[]): Row[] {
    return this.#all({ sql, params }) as Row[];
  }

  /** Takes a snapshot of the primary, to show it later. */
  beginToCatchUp(primary: Instance): void {
    const connection = this.#spare.pop() ?? this.#open();
    snapshot(connection);
    this.#next = { connection, commit: primary.commit };
  }

  /** From now on, reads see the snapshot that `beginToCatchUp` has taken. */
  catchUp(): void {
    if (this.#next === null) return;
    this.#connection.database.exec("COMMIT");
    this.#spare.push(this.#connection);
    ({ connection: this.#connection, commit: this.commit } = this.#next);
    this.#next = null;
  }

  /** Ends the snapshots, so that the file's log can be emptied. */
  release(): void {
    this.#connection.database.exec("COMMIT");
    if (this.#next === null) return;
    this.#next.connection.database.exec("COMMIT");
    this.#spare.push(this.#next.connection);
    this.#next = null;
  }

  /** Takes a snapshot again, after `release`. */
  resume(primary: Instance): void {
    snapshot(this.#connection);
    this.commit = primary.commit;
  }

  /** Moves the log into the file, which is possible only while no copy has a snapshot. */
  emptyLog(): void {
    this.#connection.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  backUp(file: string): void {
    this.#connection.database.exec(`VACUUM INTO '${file}'`);
  }

  close(): void {
    for (const { database } of [this.#connection, ...this.#spare.splice(0)]) database.close();
  }

  /** Opens the file again, after it was replaced. */
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

  /** Whether rows were written since the last call, including rows that were rolled back. */
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
