import { toDecimal } from "../../values/decimal.ts";
import { fieldOf } from "../records/define-kind.ts";
import { type Fields, type Kind, referenceKey, type Source, type Target, tableName } from "../records/kind.ts";
import { isSummary } from "../records/summaries.ts";

// How a row is read back into the line that would write it: mostly by the column that a field is stored in.

/** The ids of small tables by their keys, by the name of the table. */
export type KnownIds = Readonly<Record<string, ReadonlyMap<number, string>>>;

export type Row = Readonly<Record<string, unknown>>;

/** How the lines of a kind are made of its rows. */
export interface Reader {
  /** What is selected of a row, with what is joined to it, by name. */
  select: Readonly<Record<string, string>>;
  /** What the rows name of tables that are read whole where they are small. */
  smallTables: readonly Target[];
  toLine: (row: Row, ids: KnownIds) => Fields;
}

/** A field of a line: what is selected for it, by name, and its value. */
interface Field {
  name: string;
  select: Readonly<Record<string, string>>;
  smallTable?: Target;
  value: (row: Row, ids: KnownIds) => unknown;
}

/** A table of up to so many rows is read whole with a page, where most of a page's lines name one of them. */
const SMALL_TABLE_ROWS = 1_000;

/** Reads the fields of records back into lines; the field `deleted` makes a line that deletes its record. */
export function readerOf(kind: Kind, names: readonly string[]): Reader {
  const fields = names.map((name) => toField(kind, name));
  return {
    select: Object.assign({}, ...fields.map(({ select }) => select)),
    smallTables: [...new Set(fields.flatMap(({ smallTable }) => smallTable ?? []))],
    toLine(row, ids) {
      const line: Record<string, unknown> = { record: kind.record };
      for (const { name, value } of fields) line[name] = value(row, ids);
      return line;
    },
  };
}

function toField(kind: Kind, name: string): Field {
  if (name === "deleted") return { name, select: {}, value: () => true };
  // A summary is known by `sealed` in place of its id, which a restore makes of other keys.
  if (name === "sealed") return { name, select: {}, value: ({ id }) => isSummary(id) || undefined };
  const otherwise = kind.readBack?.[name];
  if (otherwise !== undefined) {
    const value = (row: Row) => (otherwise.isJson ? parse(row[name]) : row[name]);
    return { name, select: { [name]: otherwise.sql }, value };
  }
  // A field's own column is looked for first: `together` may store it otherwise than it was fed.
  const columns = Object.entries(kind.columns);
  const [column, source] =
    columns.find(([, one]) => isFor(one, name)) ?? columns.find(([, one]) => isTogether(one, name)) ?? [];
  if (source === undefined) throw new Error(`Nothing says how to read back ${name} of ${kind.record}.`);
  const stored = `${tableName(kind)}.${column}`;
  if (kind.hundredths?.includes(name)) {
    return { name, select: { [name]: stored }, value: (row) => toDecimal(Number(row[name])) };
  }
  if (name === "id" && kind.leaving?.summaries !== undefined) {
    return { name, select: { id: stored }, value: ({ id }) => (isSummary(id) ? undefined : id) };
  }
  if ("field" in source && source.as === "key") return idField(kind, name, stored);
  if ("together" in source) {
    const text = `${column}_text`;
    return { name, select: { [text]: stored }, value: (row) => objectIn(row, text)[name] };
  }
  const isJson = "field" in source && source.as === "json";
  return { name, select: { [name]: stored }, value: (row) => (isJson ? parse(row[name]) : row[name]) };
}

/** Whether a column is a field's own, which holds it as it is on the wire. */
function isFor(source: Source, field: string): boolean {
  return ("sql" in source ? source.from : fieldOf(source)) === field;
}

/** Whether a column holds a field with others. */
function isTogether(source: Source, field: string): boolean {
  return "together" in source && source.together.includes(field);
}

function parse(text: unknown): unknown {
  return text === null ? null : JSON.parse(String(text));
}

// The fields of a row that are stored together come one after the other: their text is parsed once.
const parsedTexts = new WeakMap<Row, Record<string, unknown>>();

function objectIn(row: Row, text: string): Record<string, unknown> {
  const known = parsedTexts.get(row) ?? (JSON.parse(String(row[text])) as Record<string, unknown>);
  parsedTexts.set(row, known);
  return known;
}

/** The public id of the record that a column names by its key. */
function idField(kind: Kind, name: string, key: string): Field {
  const target = kind.references[name];
  if (target === undefined) throw new Error(`${kind.record}.${name} is no reference.`);
  const table = tableName(target);
  const id = `(SELECT id FROM ${table} AS target WHERE target.key = ${key})`;
  if (target.oftenSmall === undefined) return { name, select: { [name]: id }, value: (row) => row[name] };
  const alias = referenceKey(name);
  return {
    name,
    select: { [name]: `iif(${isSmall(target)}, NULL, ${id})`, [alias]: key },
    smallTable: target,
    value: (row, ids) => row[name] ?? ids[table]?.get(Number(row[alias])) ?? null,
  };
}

/** A condition. Rows are not removed from these tables, so the greatest key says how many there are. */
export function isSmall(target: Target): string {
  return `(SELECT max(key) FROM ${tableName(target)}) <= ${SMALL_TABLE_ROWS}`;
}
