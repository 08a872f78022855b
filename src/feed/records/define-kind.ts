import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as z from "zod";
import { wordsColumn } from "../../values/words.ts";
import type { Fields, Kind, Source, WrittenValue } from "./kind.ts";

type Sources = Kind["columns"];

type KindOf<Table extends SQLiteTable, Schema extends z.ZodObject> = Kind<
  keyof z.output<Schema> & string,
  keyof Table["_"]["columns"] & string,
  z.output<Schema>
>;

/** The compiler checks the names of fields and columns. */
type Definition<Table extends SQLiteTable, Schema extends z.ZodObject> = Partial<
  Omit<KindOf<Table, Schema>, "columns" | "references">
> & {
  record: string;
  fields: Schema;
  columns?: Partial<KindOf<Table, Schema>["columns"]>;
  references?: Partial<KindOf<Table, Schema>["references"]>;
};

/**
 * Completes a kind from its table and its fields. It is a kind of events if it has a time. Its key is its id, its account
 * the one that `account_id` names. References of a state that are stored as keys never change. A column `deleted` or
 * `erased` marks deleted rows.
 */
export function defineKind<Table extends SQLiteTable, Schema extends z.ZodObject>(
  table: Table,
  given: Definition<Table, Schema>,
): Kind {
  const { fields, key = ["id"], keyFields = ["id"], references = {}, list, words } = given;
  const made = words && { words: { made: (line: Fields) => wordsColumn(line, words.of) } };
  const columns = sourcesOf(table, fields, { ...given.columns, ...made } as Sources);
  const type: Kind["type"] = given.timeField === undefined ? "state" : "event";
  const others = Object.entries(columns).flatMap(([column, source]) =>
    type === "state" && "field" in source && source.as === "key" && !key.some((one) => one === column) ? [column] : [],
  );
  const fixed = [...others, ...(given.fixed ?? [])];
  const named = [...keyFields, ...Object.keys(references)];
  const deleted = ["deleted", "erased"].find((column) => column in table);
  const fieldsForChecks = [
    ...named,
    ...fixed.flatMap((column) => fieldOf(columns[column]) ?? []),
    ...(given.alsoForChecks ?? []),
    ...(list === undefined ? [] : ["item_count"]),
  ];
  return {
    deletion: deleted === undefined ? undefined : { column: deleted, is: 1 },
    accountField: "account_id" in fields.shape ? "account_id" : undefined,
    isAboutCustomer: "customer_key" in table ? (key) => `${getTableName(table)}.customer_key = ${key}` : undefined,
    ...(given as Partial<Kind> & typeof given),
    type,
    table,
    key,
    keyFields,
    keySchema: fields.pick(Object.fromEntries(keyFields.map((field) => [field, true])) as never),
    columns,
    fixed,
    references,
    written: writtenOf(named, list?.field, columns),
    fieldsForChecks: [...new Set(fieldsForChecks)],
  };
}

/**
 * The sources of the columns that lines fill, in the order of the table: the given source; else the field with the
 * column's name, or `store_id` for a column `store_key`.
 */
function sourcesOf(table: SQLiteTable, { shape }: z.ZodObject, given: Sources): Sources {
  const held = new Set(Object.values(given).map(fieldOf));
  const sources: Record<string, Source> = {};
  for (const { name, notNull, hasDefault } of Object.values(getTableColumns(table))) {
    const [source, field, id] = [given[name], shape[name], name.replace(/_key$/, "_id")];
    if (source !== undefined) sources[name] = source;
    else if (hasDefault || held.has(name)) continue;
    else if (id !== name && id in shape) sources[name] = { field: id, as: "key" };
    // A field that may be null, in a column that may not, is a time.
    else if (notNull && field?.safeParse(undefined).data === null) sources[name] = { field: name, as: "time" };
    else if (field !== undefined) sources[name] = { field: name };
    else throw new Error(`Nothing fills the column ${name} of ${getTableName(table)}.`);
  }
  return sources;
}

/** The one field that a column holds, if any. */
export function fieldOf(source: Source | undefined): string | undefined {
  return source !== undefined && "field" in source ? source.field : undefined;
}

/** The values of a line that the columns are made of, after these fields and the list. */
function writtenOf(fields: readonly string[], list: string | undefined, columns: Sources): WrittenValue[] {
  const values = new Map<string, WrittenValue>();
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
