import { type Query, SQL, sql } from "drizzle-orm";
// No other file imports the dialect, because Drizzle 1.0 renames it.
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

/** Statements travel to D1 as JSON, with their parameters. So what they do not repeat need not be sent. */
class Dialect extends SQLiteSyncDialect {
  /** In backticks, because JSON would escape each double quote. */
  override escapeName(name: string): string {
    return `\`${name}\``;
  }

  /** With a number, so that a statement may use a parameter again. */
  override escapeParam(index: number): string {
    return `?${index + 1}`;
  }
}

export const DIALECT = new Dialect();

/** The text and the parameters of a template, or of a query of the builder. */
export function writtenQuery(statement: SQL | { toSQL(): Query }): Query {
  return statement instanceof SQL ? DIALECT.sqlToQuery(statement) : statement.toSQL();
}

/** A template as text, for a program that takes no parameters: each value stands in the text, escaped. */
export function textOf(statement: SQL): string {
  return DIALECT.sqlToQuery(sql`${statement}`.inlineParams()).sql;
}

const written = new WeakMap<SQL, SQL>();

/** A template of which Drizzle writes the text only once, because it takes longer to write than SQLite to run. */
export function writtenOnce(template: SQL): SQL {
  const text = written.get(template) ?? sql.raw(textOf(template));
  written.set(template, text);
  return text;
}
