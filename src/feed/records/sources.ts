import { getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";

/** The checked fields of a record, by their names on the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** Where the value of a column comes from. */
export type Source<Output> =
  /**
   * The field; `as`: its JSON text, the key of the record that it names, or a time which, left out, is the stored one, or for
   * a new record the current one.
   */
  | { field: keyof Output & string; as?: "json" | "key" | "time" }
  /** Several fields, stored together as JSON text; `storedAs`: those that are stored otherwise than they were fed. */
  | { together: readonly (keyof Output & string)[]; storedAs?(fields: Output): Partial<Output> }
  /** Made from the fields by the Worker; `asJson`: stored as JSON text. */
  | { made(fields: Output): unknown; asJson?: true }
  /** Made by the database: an expression on `line`. `from`: the field that it is made of, and that an export reads back. */
  | { sql: string; from?: keyof Output & string };

export type Sources = Readonly<Record<string, Source<Fields>>>;

/**
 * The sources of the columns that lines fill, in the order of the table: as given; else the field with the column's name,
 * or for a column such as `store_key` what `store_id` names.
 */
export function sourcesOf(table: SQLiteTable, { shape }: z.ZodObject, given: Partial<Sources>): Sources {
  const held = new Set(Object.values(given).map(fieldOf));
  const sources: Record<string, Source<Fields>> = {};
  for (const { name, notNull, hasDefault } of Object.values(getTableColumns(table))) {
    const [source, field, id] = [given[name], shape[name], name.replace(/_key$/, "_id")];
    if (source !== undefined) sources[name] = source;
    else if (hasDefault || held.has(name)) continue;
    else if (id !== name && id in shape) sources[name] = { field: id, as: "key" };
    // What may be null in a column that may not is a time.
    else if (notNull && field?.safeParse(undefined).data === null) sources[name] = { field: name, as: "time" };
    else if (field !== undefined) sources[name] = { field: name };
  }
  return sources;
}

/** The one field that a column holds, if any. */
export function fieldOf(source: Source<Fields> | undefined): string | undefined {
  return source !== undefined && "field" in source ? source.field : undefined;
}

/** A value of a line that goes to the database, to be written. */
export interface Written {
  name: string;
  json: boolean;
  value(fields: Fields): unknown;
}

/** The values of a line that the columns are made of, after these fields and the list. */
export function writtenOf(fields: readonly string[], list: string | undefined, columns: Sources): Written[] {
  const values = new Map<string, Written>();
  const add = (name: string, json = false) => values.set(name, { name, json, value: (line) => line[name] ?? null });
  for (const field of fields) add(field);
  if (list !== undefined) add(list, true);
  for (const [column, source] of Object.entries(columns)) {
    if ("field" in source) add(source.field, source.as === "json");
    else if ("made" in source) values.set(column, { name: column, json: source.asJson === true, value: source.made });
    else if ("together" in source) {
      const value = (line: Fields) => ({
        ...Object.fromEntries(source.together.map((field) => [field, line[field]])),
        ...source.storedAs?.(line),
      });
      values.set(column, { name: column, json: true, value });
    } else if (source.from !== undefined) add(source.from);
  }
  return [...values.values()];
}
