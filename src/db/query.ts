import { type Placeholder, type SQL, sql } from "drizzle-orm";
// No other file imports the builder, because Drizzle 1.0 renames parts of it.
import {
  type AnySQLiteColumn,
  QueryBuilder,
  SQLiteDeleteBase,
  SQLiteInsertBuilder,
  type SQLiteSession,
  type SQLiteTable,
  SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import { DIALECT } from "./dialect.ts";

/** Columns by their names: columns of tables and views, or expressions with a type (`` sql<number>`…` ``). */
export type Selection = Readonly<Record<string, AnySQLiteColumn | SQL | SQL.Aliased>>;

// Drizzle only writes statements. `Database` sends them, so the builder gets no session.
const NO_SESSION = undefined as unknown as SQLiteSession<"sync", void, never, never>;
const builder = new QueryBuilder(DIALECT);

/** Drizzle's query builder. docs/CONTRIBUTING.md says when to use it. */
export const query = {
  select: <Fields extends Selection>(fields: Fields) => builder.select(named(fields)),
  insert: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteInsertBuilder<Table, "sync", undefined>(table, NO_SESSION, DIALECT),
  update: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteUpdateBuilder<Table, "sync", undefined>(table, NO_SESSION, DIALECT),
  delete: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteDeleteBase<Table, "sync", undefined>(table, NO_SESSION, DIALECT),
};

/**
 * Names each column after its property, for `select` and `returning`: Drizzle reads a row by the places of its columns, but D1
 * gives their names. It also keeps the tables' names in templates among the fields. Drizzle drops them in a query of one table,
 * where a subquery would then read a column of its own.
 */
export function named<Fields extends Selection>(fields: Fields): Fields {
  const columns = Object.entries(fields).map(([name, field]) => [name, sql`${sql`${field}`}`.as(name)]);
  return Object.fromEntries(columns) as Fields;
}

/** A number for `.limit()`. It has `0 +`, because SQLite plans a bare `LIMIT ?` again at each run: 0.15 ms and not 0.02. */
export function atMost(count: number | Placeholder | SQL): Placeholder {
  // Drizzle writes any SQL here, but declares numbers and placeholders only.
  return sql`0 + ${count}` as SQL & Placeholder;
}
