import { toDecimal } from "../../values/decimal.ts";
import { fieldOf } from "../records/define-kind.ts";
import { type Fields, type Kind, referenceKey, tableName } from "../records/kind.ts";
import { isSummary } from "../records/summaries.ts";

// How a row is read back into the line that would write it: most fields are read from the column that stores them.

/** The ids of small tables by their keys, by the name of the table. */
export type KnownIds = Readonly<Record<string, ReadonlyMap<number, string>>>;

export type Row = Readonly<Record<string, unknown>>;

/** How lines are made of rows. */
export interface Reader {
  /** The expressions that are selected, by name. */
  select: Readonly<Record<string, string>>;
  /** The tables that the rows refer to, and that are read whole if they are small. */
  smallTables: readonly Kind[];
  toLine: (row: Row, ids: KnownIds) => Fields;
}

/** A field of a line: the expressions that are selected for it, by name, and its value. */
interface Field {
  name: string;
  select: Readonly<Record<string, string>>;
  smallTable?: Kind;
  value: (row: Row, ids: KnownIds) => unknown;
}

/** A table with at most this many rows is read whole with a page: most lines of a page name one of its rows. */
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
  const of = (stored: string, value = (given: unknown) => given): Field => ({
    name,
    select: { [name]: stored },
    value: (row) => value(row[name]),
  });
  if (name === "deleted") return { name, select: {}, value: () => true };
  // A summary is known by `sealed` in place of its id, which a restore makes of other keys.
  if (name === "sealed") return { name, select: {}, value: ({ id }) => isSummary(id) || undefined };
  const otherwise = kind.readBack?.[name];
  if (otherwise !== undefined) return of(otherwise.sql, otherwise.isJson && parse);
  // A field's own column is looked for first: `together` may store it otherwise than it was fed.
  const columns = Object.entries(kind.columns);
  const [column, source] =
    columns.find(([, one]) => ("sql" in one ? one.from : fieldOf(one)) === name) ??
    columns.find(([, one]) => "together" in one && one.together.includes(name)) ??
    [];
  if (source === undefined) throw new Error(`Nothing says how to read back ${name} of ${kind.record}.`);
  const stored = `${tableName(kind)}.${column}`;
  if ("together" in source) {
    const text = `${column}_text`;
    return { name, select: { [text]: stored }, value: (row) => objectIn(row, text)[name] };
  }
  if (kind.hundredths?.includes(name)) return of(stored, (given) => toDecimal(Number(given)));
  if (name === "id" && kind.leaving?.summaries !== undefined)
    return of(stored, (id) => (isSummary(id) ? undefined : id));
  if (!("as" in source)) return of(stored);
  return source.as === "key" ? idField(kind, name, stored) : of(stored, source.as === "json" ? parse : undefined);
}

function parse(text: unknown): unknown {
  return text === null ? null : JSON.parse(String(text));
}

// Fields that are stored together share a text, which is parsed once for each row: a row has one such text.
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

/** Whether a table is small, in SQL. Its rows are never removed, so the greatest key is their number. */
export function isSmall(target: Kind): string {
  return `(SELECT max(key) FROM ${tableName(target)}) <= ${SMALL_TABLE_ROWS}`;
}
