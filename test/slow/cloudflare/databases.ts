import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import type { Faults } from "./faults.ts";
import type { Reply } from "./reply.ts";

interface Database {
  uuid: string;
  sql: DatabaseSync;
  replication: "auto" | "disabled";
  jurisdiction: string | undefined;
}

/** The D1 databases of an account by name. They are SQLite databases, so that a test can look into them. */
export class Databases extends Map<string, Database> {
  readonly #faults: Faults;

  constructor(faults: Faults) {
    super();
    this.#faults = faults;
  }

  make(name: string, jurisdiction?: string): Database {
    const sql = new DatabaseSync(":memory:");
    const database: Database = { uuid: randomUUID(), sql, replication: "disabled", jurisdiction };
    this.set(name, database);
    return database;
  }

  async answer(method: string, name: string, body: Response, isQuery: boolean): Promise<Reply> {
    if (method === "POST" && name === "") {
      const { name, jurisdiction } = (await body.json()) as { name: string; jurisdiction?: string };
      if (this.has(name)) return { status: 400, code: 7502, message: `Database with name '${name}' already exists` };
      return { result: { name, uuid: this.make(name, jurisdiction).uuid } };
    }
    const idOrName = decodeURIComponent(name);
    const found = [...this].find(([key, { uuid }]) => [key, uuid].includes(idOrName));
    if (found === undefined) return { status: 404, code: 7404, message: "The database could not be found" };
    const [key, database] = found;
    const { uuid, sql, jurisdiction } = database;
    if (method === "PUT" && !this.#faults.mayEditDatabases)
      return { status: 403, code: 10000, message: "Authentication error" };
    if (method === "PUT") {
      const { read_replication } = (await body.json()) as { read_replication: { mode: Database["replication"] } };
      database.replication = read_replication.mode;
    }
    if (method === "DELETE") this.delete(key);
    if (!isQuery)
      return { result: { name: key, uuid, jurisdiction, read_replication: { mode: database.replication } } };
    try {
      const { sql: text } = (await body.json()) as { sql: string };
      const answers = splitSqlQuery(text).map((statement) => run(sql, statement));
      return { result: answers.map((rows) => ({ success: true, meta: { duration: 0 }, results: rows })) };
    } catch (error) {
      return { status: 400, code: 7500, message: `${error instanceof Error ? error.message : error}: SQLITE_ERROR` };
    }
  }

  /** The binding of a Worker to a database, with what the temporary Worker of a deployment calls. */
  binding(id: unknown) {
    const sql = [...this.values()].find(({ uuid }) => uuid === id)?.sql;
    if (sql === undefined) throw new Error("D1_ERROR: no such database");
    return {
      prepare: (statement: string) => statement,
      async batch(statements: readonly string[]) {
        sql.exec("BEGIN");
        try {
          for (const statement of statements) run(sql, statement);
          sql.exec("COMMIT");
        } catch (error) {
          sql.exec("ROLLBACK");
          throw error;
        }
      },
    };
  }
}

function run(sql: DatabaseSync, statement: string): unknown[] {
  if (splitSqlQuery(statement).length !== 1)
    throw new Error("A prepared SQL statement must contain only one statement");
  return sql.prepare(statement).all();
}
