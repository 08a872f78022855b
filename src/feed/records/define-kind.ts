import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { wordsColumn } from "../../values/words.ts";
import { type Fields, idField, type Kind, type Source, type WrittenValue } from "./kind.ts";

type Sources = Kind["columns"];

type KindOf<Table extends SQLiteTable, Shape extends z.ZodRawShape> = Kind<
  keyof Shape & string,
  keyof Table["_"]["columns"] & string,
  z.output<z.ZodObject<Shape>>
>;

/** A kind as its file states it. The compiler checks the names of fields and columns. */
type Definition<Table extends SQLiteTable, Shape extends z.ZodRawShape> = Partial<
  Omit<KindOf<Table, Shape>, "fields" | "columns" | "references">
> & {
  record: string;
  fields: Shape;
  columns?: Partial<KindOf<Table, Shape>["columns"]>;
  references?: Partial<KindOf<Table, Shape>["references"]>;
};

/**
 * Adds to a kind what follows from its table and its fields: a kind with a time is a kind of events; the key is `id`;
 * the account is the one that `account_id` names; the key of a reference never changes in a state; a column `deleted` or
 * `erased` marks deleted rows.
 */
export function defineKind<Table extends SQLiteTable, Shape extends z.ZodRawShape>(
  table: Table,
  definition: Definition<Table, Shape>,
): Kind {
  const { key = ["id"], keyFields = key.map(idField), references = {}, list, words } = definition;
  const fields: z.ZodObject = z.object(definition.fields);
  const wordsSource = words && { words: { made: (line: Fields) => wordsColumn(line, words.fields) } };
  const columns = sourcesOf(table, fields, { ...definition.columns, ...wordsSource } as Sources);
  const type: Kind["type"] = definition.timeField === undefined ? "state" : "event";
  const isFixed = ([column, source]: [string, Source]) =>
    type === "state" && "field" in source && source.as === "key" && !key.some((keyColumn) => keyColumn === column);
  const fixedKeys = Object.entries(columns)
    .filter(isFixed)
    .map(([column]) => column);
  const fixed = [...fixedKeys, ...(definition.fixed ?? [])];
  const identifying = [...keyFields, ...Object.keys(references)];
  const lineFields = [
    ...identifying,
    ...fixed.flatMap((column) => fieldOf(columns[column]) ?? []),
    ...(definition.moreLineFields ?? []),
    ...(list === undefined ? [] : ["item_count"]),
  ];
  const deletionColumn = ["deleted", "erased"].find((column) => column in table);
  return {
    deletion: deletionColumn === undefined ? undefined : { column: deletionColumn, is: 1 },
    accountField: "account_id" in fields.shape ? "account_id" : undefined,
    isAboutCustomer: "customer_key" in table ? (key) => `${getTableName(table)}.customer_key = ${key}` : undefined,
    ...(definition as Partial<Kind> & typeof definition),
    type,
    table,
    fields,
    key,
    keyFields,
    keySchema: fields.pick(Object.fromEntries(keyFields.map((field) => [field, true])) as never),
    columns,
    fixed,
    references,
    written: writtenOf(identifying, list?.field, columns),
    lineFields: [...new Set(lineFields)],
  };
}

/**
 * The sources of the columns that lines fill, in the order of the table. A column without a stated source holds the field
 * with its name; a column `store_key` holds the key for the field `store_id`.
 */
function sourcesOf(table: SQLiteTable, { shape }: z.ZodObject, stated: Sources): Sources {
  const heldElsewhere = new Set(Object.values(stated).map(fieldOf));
  const sources: Record<string, Source> = {};
  for (const { name, notNull, hasDefault } of Object.values(getTableColumns(table))) {
    const [source, field, id] = [stated[name], shape[name], idField(name)];
    if (source !== undefined) sources[name] = source;
    else if (hasDefault || heldElsewhere.has(name)) continue;
    else if (id !== name && id in shape) sources[name] = { field: id, as: "key" };
    // If the field may be null and its column may not, it is a time: a time that is left out gets a default.
    else if (notNull && field?.safeParse(undefined).data === null) sources[name] = { field: name, as: "time" };
    else if (field !== undefined) sources[name] = { field: name };
    else throw new Error(`Nothing fills the column ${name} of ${getTableName(table)}.`);
  }
  return sources;
}

/** The field that a column holds alone, if any. */
export function fieldOf(source: Source | undefined): string | undefined {
  return source !== undefined && "field" in source ? source.field : undefined;
}

/** The values that a line sends: these fields, the list, and the fields and values that columns are made of. */
function writtenOf(fields: readonly string[], list: string | undefined, columns: Sources): WrittenValue[] {
  const values = new Map<string, WrittenValue>();
  const addField = (name: string, json = false) =>
    values.set(name, { name, json, value: (line) => line[name] ?? null });
  for (const field of fields) addField(field);
  if (list !== undefined) addField(list, true);
  for (const [name, source] of Object.entries(columns)) {
    if ("field" in source) addField(source.field, source.as === "json");
    else if ("made" in source) values.set(name, { name, json: source.asJson === true, value: source.made });
    else if ("together" in source) values.set(name, { name, json: true, value: (line) => together(source, line) });
    else if (source.from !== undefined) addField(source.from);
  }
  return [...values.values()];
}

function together(source: Extract<Source, { together: unknown }>, line: Fields): Fields {
  const asFed = Object.fromEntries(source.together.map((field) => [field, line[field]]));
  return { ...asFed, ...source.storedAs?.(line) };
}
