import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { Hono } from "hono";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { ok, refusal } from "./reply.ts";

interface Database {
  name: string;
  uuid: string;
  sql: DatabaseSync;
  replication: "auto" | "disabled";
  jurisdiction: string | undefined;
  /** The bookmark of the last time travel. */
  restoredTo?: string | undefined;
}

/** The D1 databases of an account by name. They are SQLite databases, so that a test can look into them. */
export class Databases extends Map<string, Database> {
  make(name: string, jurisdiction?: string): Database {
    const sql = new DatabaseSync(":memory:");
    const database: Database = { name, uuid: randomUUID(), sql, replication: "disabled", jurisdiction };
    this.set(name, database);
    return database;
  }

  /** The routes of the API below /d1/database. */
  routes() {
    const routes = new Hono<{ Variables: { database: Database } }>();
    routes.post("/", async (c) => {
      const { name, jurisdiction } = await c.req.json();
      if (this.has(name)) return refusal(400, 7502, `Database with name '${name}' already exists`);
      return ok(resultFor(this.make(name, jurisdiction)));
    });
    routes.get("/", ({ req }) => {
      const name = req.query("name");
      return ok([...this.values()].filter((database) => name === undefined || database.name === name).map(resultFor));
    });
    routes.use("/:idOrName/*", async (c, next) => {
      const database = [...this.values()].find(({ name, uuid }) => [name, uuid].includes(c.req.param("idOrName")));
      if (database === undefined) return refusal(404, 7404, "The database could not be found");
      c.set("database", database);
      return next();
    });
    routes.get("/:id", (c) => ok(resultFor(c.var.database)));
    routes.put("/:id", async (c) => {
      const { read_replication } = await c.req.json();
      c.var.database.replication = read_replication.mode;
      return ok(resultFor(c.var.database));
    });
    routes.delete("/:id", (c) => ok(this.delete(c.var.database.name) && null));
    routes.get("/:id/time_travel/bookmark", (c) => ok({ bookmark: bookmarkAt(c.req.query("timestamp")) }));
    routes.post("/:id/time_travel/restore", (c) => {
      const { database } = c.var;
      database.restoredTo = c.req.query("bookmark");
      return ok({ bookmark: database.restoredTo, previous_bookmark: bookmarkAt(), message: "" });
    });
    routes.post("/:id/query", async (c) => {
      const { sql } = await c.req.json();
      try {
        const answers = splitSqlQuery(sql).map((statement) => run(c.var.database.sql, statement));
        return ok(answers.map((rows) => ({ success: true, meta: { duration: 0 }, results: rows })));
      } catch (error) {
        return refusal(400, 7500, `${error instanceof Error ? error.message : error}: SQLITE_ERROR`);
      }
    });
    return routes;
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

/** A bookmark as D1 writes it. */
function bookmarkAt(time = "2026-11-28T00:00:00Z"): string {
  const seconds = (Date.parse(time) / 1_000).toString(16).padStart(8, "0");
  return `${seconds}-00000001-00000001-${"0".repeat(32)}`;
}

/** What the API says of a database. */
function resultFor({ name, uuid, jurisdiction, replication }: Database): object {
  return { name, uuid, version: "production", jurisdiction, read_replication: { mode: replication } };
}

function run(sql: DatabaseSync, statement: string): unknown[] {
  if (splitSqlQuery(statement).length !== 1)
    throw new Error("A prepared SQL statement must contain only one statement");
  return sql.prepare(statement).all();
}
