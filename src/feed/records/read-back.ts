import { type SQL, sql } from "drizzle-orm";
import type { ReadBack } from "./both-ways.ts";
import { type Columns, type Fields, type Kind, keyName, type Target, tableName } from "./kind.ts";

// How a row is read back into the line that would write it.

/** The ids of small tables by their keys, by the name of the table. */
export type KnownIds = Readonly<Record<string, ReadonlyMap<number, string>>>;

type Row = Readonly<Record<string, unknown>>;

/** How the lines of a kind are made of its rows. */
export interface Reader {
  /** What is selected of a row, with what is joined to it; of one that is left out, nothing. */
  columns: (leftOut: string) => string;
  /** The names of these columns. */
  names: readonly string[];
  /** What the rows name of tables that are read whole where they are small. */
  few: readonly Target[];
  toLine: (row: Row, ids: KnownIds) => Fields;
}

/** A field of a line: what is selected for it, by name, and its value. */
interface Field {
  name: string;
  select: Readonly<Record<string, string>>;
  few?: Target;
  value: (row: Row, ids: KnownIds) => unknown;
}

/** A table of up to so many rows is read whole with a page, where most of a page's lines name one of them. */
const FEW = 1_000;

/** Reads records back with every field of their kind. */
export function readerOf(kind: Kind): Reader {
  return reader(
    kind,
    Object.keys(kind.fields.shape).map((name) => fieldOf(kind, name, kind.readBack?.[name])),
  );
}

/** Reads the keys of records into lines that delete them. */
export function deletionReaderOf(kind: Kind): Reader {
  const fields = kind.keyFields.map((name) => fieldOf(kind, name, kind.readBack?.[name]));
  return reader(kind, [...fields, { name: "deleted", select: {}, value: () => true }]);
}

function reader(kind: Kind, fields: readonly Field[]): Reader {
  const select = Object.assign({}, ...fields.map((field) => field.select)) as Record<string, string>;
  return {
    columns: (leftOut) =>
      [
        `(${leftOut}) IS TRUE AS left_out`,
        ...Object.entries(select).map(([name, expression]) =>
          leftOut === "0" ? `${expression} AS ${name}` : `iif(${leftOut}, NULL, ${expression}) AS ${name}`,
        ),
      ].join(", "),
    names: Object.keys(select),
    few: [...new Set(fields.flatMap(({ few }) => few ?? []))],
    toLine(row, ids) {
      const line: Record<string, unknown> = { record: kind.record };
      for (const { name, value } of fields) line[name] = value(row, ids);
      return line;
    },
  };
}

function fieldOf(kind: Kind, name: string, how: ReadBack | undefined): Field {
  const table = tableName(kind);
  const from: From | undefined = how ?? sourceOf(kind.columns, name);
  if (from === undefined) throw new Error(`${kind.record} does not say how to read back ${name}.`);
  if ("together" in from) {
    const text = `${from.together}_text`;
    return { name, select: { [text]: `${table}.${from.together}` }, value: memberOf(text, name) };
  }
  if ("key" in from) return idField(kind, name, `${table}.${from.key}`);
  if ("sql" in from) return { name, select: { [name]: from.sql }, value: from.json ? parsed(name) : plain(name) };
  return { name, select: { [name]: `${table}.${from.column}` }, value: columnValue(name, from) };
}

function columnValue(name: string, { as, json }: FromColumn): Field["value"] {
  if (as !== undefined) return (row) => as(Number(row[name]));
  return json ? parsed(name) : plain(name);
}

interface FromColumn {
  column: string;
  as?: (value: number) => unknown;
  json?: true;
}

type From = ReadBack | FromColumn | { together: string };

/** How a field is read back by the column that has it. */
function sourceOf(columns: Columns, field: string): From | undefined {
  for (const [column, source] of Object.entries(columns)) {
    if (typeof source === "string") {
      if (source === field) return { column };
    } else if ("json" in source && source.json === field) return { column, json: true };
    else if ("time" in source && source.time === field) return { column };
    else if ("key" in source && source.key === field) return { key: column };
    else if ("together" in source && source.together.includes(field)) return { together: column };
  }
  return undefined;
}

function plain(name: string): Field["value"] {
  return (row) => row[name];
}

function parsed(name: string): Field["value"] {
  return (row) => (row[name] === null ? null : JSON.parse(String(row[name])));
}

/** A field of those that are stored together, whose text is parsed once a row: the rows come one after the other. */
function memberOf(text: string, name: string): Field["value"] {
  return (row) => objectIn(row, text)[name];
}

const parsedTexts = new WeakMap<Row, Record<string, unknown>>();

function objectIn(row: Row, text: string): Record<string, unknown> {
  const known = parsedTexts.get(row);
  if (known !== undefined) return known;
  const object = JSON.parse(String(row[text])) as Record<string, unknown>;
  parsedTexts.set(row, object);
  return object;
}

/** The public id of the record that a column names by its key. */
function idField(kind: Kind, name: string, key: string): Field {
  const target = kind.references[name];
  if (target === undefined) throw new Error(`${kind.record}.${name} is no reference.`);
  const table = tableName(target);
  const id = `(SELECT id FROM ${table} AS target WHERE target.key = ${key})`;
  if (target.few === undefined) return { name, select: { [name]: id }, value: plain(name) };
  const alias = keyName(name);
  return {
    name,
    select: { [name]: `iif(${isSmall(target)}, NULL, ${id})`, [alias]: key },
    few: target,
    value: (row, ids) => row[name] ?? ids[table]?.get(Number(row[alias])) ?? null,
  };
}

/** The ids of a table by key, if it is small; else none, because then each row looks up what it names. */
export function idsOf(target: Target): SQL {
  return sql.raw(`SELECT key, id FROM ${tableName(target)} WHERE ${isSmall(target)}`);
}

// Rows are not removed from these tables, so the greatest key says how many there are.
function isSmall(target: Target): string {
  return `(SELECT max(key) FROM ${tableName(target)}) <= ${FEW}`;
}
