import { copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { readMigrations } from "../platform/code.ts";
import { bindable, bookmarkOf, PRIMARY, resultOf } from "../platform/d1.ts";
import { createFolder } from "../platform/folder.ts";
import { createDatabase, Instance, type Query } from "../platform/sqlite.ts";

/** A prepared statement, as D1's binding has it. */
class Statement {
  readonly query: Query;
  readonly #database: LocalDatabase;

  constructor(database: LocalDatabase, query: Query) {
    this.#database = database;
    this.query = query;
  }

  bind(...params: unknown[]): Statement {
    return new Statement(this.#database, { sql: this.query.sql, params: params.map(bindable) });
  }

  async all(): Promise<D1Result | undefined> {
    const [result] = await this.#database.batch([this]);
    return result;
  }

  run(): Promise<D1Result | undefined> {
    return this.all();
  }
}

/** The primary of the simulation's D1 without its faults, in real time. */
export class LocalDatabase {
  readonly #folder = createFolder();
  readonly #template = path.join(this.#folder, "template");
  readonly #file = path.join(this.#folder, "database");
  #instance: Instance | null = null;

  constructor() {
    createDatabase(this.#template, readMigrations());
    this.reset();
  }

  /** Puts an empty database in its place, with its migrations. */
  reset(): void {
    this.#instance?.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(this.#file + end, { force: true });
    copyFileSync(this.#template, this.#file);
    this.#instance = new Instance(PRIMARY, this.#file, { isPrimary: true, clock: Date.now });
  }

  prepare(sql: string): Statement {
    return new Statement(this, { sql, params: [] });
  }

  async batch(statements: readonly Statement[]): Promise<D1Result[]> {
    const outcome = this.#instance?.transact(statements.map(({ query }) => query));
    if (outcome === undefined || outcome === "writes") throw new Error("The primary takes reads and writes.");
    return outcome.rows.map((rows) => resultOf(rows, outcome.wrote));
  }

  async exec(sql: string): Promise<void> {
    await this.prepare(sql).all();
  }

  withSession() {
    return {
      prepare: (sql: string) => this.prepare(sql),
      batch: (statements: readonly Statement[]) => this.batch(statements),
      getBookmark: () => bookmarkOf(this.#instance?.commit ?? 0),
    };
  }
}
