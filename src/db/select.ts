import { type AnyColumn, type GetColumnData, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { atMost, type Selection } from "./query.ts";

/** The current time by D1's clock, which tests replace. */
export const NOW = sql.raw("(SELECT now FROM clock)");

/** A time by D1's clock; `modifier`: how far from now, such as `-30 minutes`. */
export function fromNow(modifier: string): SQL<string> {
  return sql<string>`(SELECT datetime(now, ${modifier}) FROM clock)`;
}

export type SelectedRow<F extends Selection> = {
  [K in keyof F]: F[K] extends AnyColumn
    ? GetColumnData<F[K]>
    : F[K] extends SQL<infer T> | SQL.Aliased<infer T>
      ? T
      : never;
};

/** `SELECT` with these columns, and the rest of the statement: `FROM …`. Its rows have the types of the columns. */
export function select<F extends Selection>(fields: F, rest: SQL): SQL<SelectedRow<F>> {
  return sql<SelectedRow<F>>`SELECT ${selectList(fields)} ${rest}`;
}

/** `select` with common table expressions: `name AS (…), …`. */
export function selectWith<F extends Selection>(tables: SQL, fields: F, rest: SQL): SQL<SelectedRow<F>> {
  return sql<SelectedRow<F>>`WITH ${tables} ${select(fields, rest)}`;
}

export function selectList(fields: Selection): SQL {
  return joinWithCommas(Object.entries(fields).map(([name, field]) => sql`${field} AS ${sql.identifier(name)}`));
}

/** A JSON object as text. A fraction is not exact in the text, because SQLite writes it with 15 digits. */
export function jsonOf(members: Readonly<Record<string, SQLWrapper>>): SQL<string> {
  const terms = Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  return sql`json_object(${joinWithCommas(terms)})`;
}

/** The names of columns without their table, for a statement that writes them. */
export function columnNames(...columns: readonly AnyColumn[]): SQL {
  return identifiers(columns.map(({ name }) => name));
}

export function identifiers(names: readonly string[]): SQL {
  return joinWithCommas(names.map((name) => sql`${sql.identifier(name)}`));
}

export function joinWithCommas(terms: readonly SQLWrapper[]): SQL {
  return sql.join([...terms], sql`, `);
}

export function pick<Table, Name extends keyof Table & string>(table: Table, ...columns: Name[]): Pick<Table, Name> {
  return Object.fromEntries(columns.map((name) => [name, table[name]])) as Pick<Table, Name>;
}

export function limitTo(count: number | Placeholder | SQL): SQL {
  return sql`LIMIT ${atMost(count)}`;
}

/** The beginning of the id of a summary, which is a row in a table of events (docs/contract/retention.md, 2). */
export const SUMMARY = "sealed:";

export const isEvent = (table: SQLWrapper) => sql`${table}.id NOT GLOB ${sql.raw(`'${SUMMARY}*'`)}`;

/**
 * The `printf` format of the id of a summary with this number of keys, or of the beginning of an id that has more keys. The
 * keys have a fixed width, so the ids have the order of the keys.
 */
export const summaryFormat = (keys: number) => `'${SUMMARY}${"%08x".repeat(keys)}'`;
