import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

interface Query {
  sql: string;
  params: SQLInputValue[];
}

/**
 * A file of D1's, opened by Node while no runtime has it open: the same SQLite and the same pages, without the calls
 * between a Worker and D1. It fills databases; nothing is timed here. All of it is in one transaction until `commit`.
 */
export class LocalD1 {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA temp_store = MEMORY; BEGIN");
  }

  /** The binding, as far as the service uses it. */
  get binding(): Pick<D1Database, "withSession"> {
    const session = {
      prepare: (sql: string) => ({ bind: (...params: SQLInputValue[]) => ({ sql, params }) }),
      batch: async (queries: Query[]) =>
        queries.map(({ sql, params }) => ({ results: this.all(sql, ...params), meta: {} })),
      getBookmark: () => null,
    };
    return { withSession: () => session as unknown as D1DatabaseSession };
  }

  all(sql: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement.all(...params);
  }

  commit(): void {
    this.#database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN");
  }

  close(): void {
    this.commit();
    this.#database.close();
  }
}
