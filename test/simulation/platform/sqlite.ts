import { DatabaseSync, type StatementSync } from "node:sqlite";

export interface Query {
  sql: string;
  params: (string | number | null)[];
}

export type Rows = Record<string, unknown>[];

interface InstanceOptions {
  name: string;
  isPrimary: boolean;
  clock: () => number;
  commit: number;
}

/** The rows of a batch, and whether it wrote; "writes": nothing was done, because only the primary can write. */
type Transaction = { rows: Rows[]; wrote: boolean } | "writes";

const SQLITE_CODES: Readonly<Record<number, string>> = { 1: "ERROR", 8: "READONLY", 13: "FULL", 19: "CONSTRAINT" };
const READONLY = 8;

// As in migrations/0001_program.sql, but with the simulated time.
const SIMULATED_CLOCK = `
  DROP VIEW clock;
  CREATE VIEW clock AS
  SELECT datetime(simulated_now() / 1000, 'unixepoch') AS now,
    CAST(simulated_now() % 1000 AS INTEGER) AS millisecond;`;

const WRITE_AHEAD_LOG = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0";

/** Creates a database with these migrations, whose clock is simulated. */
export function createDatabase(file: string, migrations: readonly string[]): void {
  const database = new DatabaseSync(file);
  database.function("simulated_now", () => 0);
  database.exec(WRITE_AHEAD_LOG);
  const [clock = "", ...others] = migrations;
  for (const migration of [clock, SIMULATED_CLOCK, ...others]) database.exec(migration);
  // The migrations draw it by SQLite's own chance. Cursors of the changes have it.
  database.exec("UPDATE program_state SET database_id = 'simulated'");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** A copy of the database: the primary, or a replica, which shows the primary as of an earlier commit. */
export class Instance {
  readonly name: string;
  /** The number of the last commit that it shows. */
  commit: number;
  /** Until when it answers nothing, in milliseconds since 1970. */
  stalledUntil = 0;
  /** Increases when the copy is reset. Then batches that have not been answered fail. */
  generation = 0;
  /** What its clock said at the last statement, in milliseconds since 1970. */
  statementAt = 0;
  readonly #isPrimary: boolean;
  readonly #now: () => number;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #changes: unknown = 0;

  /** @param clock the clock of this copy. Each statement reads it anew. */
  constructor(file: string, { name, isPrimary, clock, commit }: InstanceOptions) {
    this.name = name;
    this.#isPrimary = isPrimary;
    this.#now = clock;
    this.commit = commit;
    this.#database = new DatabaseSync(file, { readOnly: !isPrimary });
    this.#database.function("simulated_now", () => this.statementAt);
    if (isPrimary) this.#database.exec(WRITE_AHEAD_LOG);
    else this.#takeSnapshot();
  }

  /** Runs the statements in one transaction. */
  transact(queries: readonly Query[], { isFull = false } = {}): Transaction {
    if (!this.#isPrimary) {
      try {
        return { rows: queries.map((query) => this.#all(query)), wrote: false };
      } catch (error) {
        if (codeOf(error) === READONLY) return "writes";
        throw toD1Error(error);
      }
    }
    if (isFull) this.#database.exec(`PRAGMA max_page_count = 1`);
    this.#run("BEGIN IMMEDIATE");
    try {
      const rows = queries.map((query) => this.#all(query));
      this.#run("COMMIT");
      const wrote = this.#hasChanged();
      if (wrote) this.commit += 1;
      return { rows, wrote };
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#hasChanged();
      throw toD1Error(error);
    } finally {
      if (isFull) this.#database.exec("PRAGMA max_page_count = 4294967294");
    }
  }

  /** Runs a statement without D1's faults, for rules and actors. */
  read<Row = Record<string, unknown>>(sql: string, ...params: (string | number | null)[]): Row[] {
    const rows = this.#all({ sql, params }) as Row[];
    // If it wrote, the next batch must not count as a write.
    this.#hasChanged();
    return rows;
  }

  /** From now on, this replica shows what the primary has now. */
  catchUp(primary: Instance): void {
    this.release();
    this.#takeSnapshot();
    this.commit = primary.commit;
  }

  /** Ends the snapshot of this replica, so that `emptyLog` can empty the write-ahead log. */
  release(): void {
    if (this.#database.isTransaction) this.#database.exec("COMMIT");
  }

  /** Moves the write-ahead log into the file, which is possible only while no replica has a snapshot. */
  emptyLog(): void {
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  backUp(file: string): void {
    this.#database.exec(`VACUUM INTO '${file}'`);
  }

  /** Closes the file. Batches that have not been answered fail. */
  close(): void {
    this.generation += 1;
    this.commit = Number.POSITIVE_INFINITY;
    this.#database.close();
  }

  /** A read transaction sees the database as it was when the transaction began to read. */
  #takeSnapshot(): void {
    this.#database.exec("BEGIN");
    this.#run("SELECT 1 FROM sqlite_schema LIMIT 1");
  }

  #all({ sql, params }: Query): Rows {
    this.statementAt = this.#now();
    return this.#run(sql, params);
  }

  #run(sql: string, params: Query["params"] = []): Rows {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement.all(...params) as Rows;
  }

  /** Whether rows were written since the last call, including rows that were rolled back. */
  #hasChanged(): boolean {
    const before = this.#changes;
    this.#changes = this.#run("SELECT total_changes() AS changes")[0]?.changes;
    return this.#changes !== before;
  }
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
