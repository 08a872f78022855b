import { toDecimal } from "../../values/decimal.ts";
import { fieldOf } from "../records/define-kind.ts";
import { type Fields, type Kind, tableName } from "../records/kind.ts";
import { isSummary } from "../records/summaries.ts";

// An export turns each row into the feed line that would write it. It reads most fields from the column that holds them.

export type Row = Readonly<Record<string, unknown>>;

/** How rows become lines. */
export interface Reader {
  /** The expressions to select, by name. */
  select: Readonly<Record<string, string>>;
  toLine: (row: Row) => Fields;
}

interface FieldReader {
  name: string;
  select: Readonly<Record<string, string>>;
  value: (row: Row) => unknown;
}

/** Reads these fields of a kind; the field `deleted` makes a line that deletes its record. */
export function readerOf(kind: Kind, names: readonly string[]): Reader {
  const fields = names.map((name) => toField(kind, name));
  return {
    select: Object.assign({}, ...fields.map(({ select }) => select)),
    toLine: (row) => ({
      record: kind.record,
      ...Object.fromEntries(fields.map(({ name, value }) => [name, value(row)])),
    }),
  };
}

function toField(kind: Kind, name: string): FieldReader {
  const fieldFrom = (expression: string, toValue = (stored: unknown) => stored): FieldReader => ({
    name,
    select: { [name]: expression },
    value: (row) => toValue(row[name]),
  });
  if (name === "deleted") return { name, select: {}, value: () => true };
  // A summary has `sealed` in place of its id: a restore gives records other keys, and the id is made of keys.
  if (name === "sealed") return { name, select: {}, value: ({ id }) => isSummary(id) || undefined };
  const readBack = kind.readBack?.[name];
  if (readBack !== undefined) return fieldFrom(readBack.sql, readBack.isJson && parse);
  // A column of its own comes first, because `together` may store the field in another form than it was fed.
  const columns = Object.entries(kind.columns);
  const [column, source] =
    columns.find(([, candidate]) => ("sql" in candidate ? candidate.from : fieldOf(candidate)) === name) ??
    columns.find(([, candidate]) => "together" in candidate && candidate.together.includes(name)) ??
    [];
  if (source === undefined) throw new Error(`Nothing says how to read back ${name} of ${kind.record}.`);
  const stored = `${tableName(kind)}.${column}`;
  if ("together" in source) {
    const text = `${column}_text`;
    return { name, select: { [text]: stored }, value: (row) => objectIn(row, text)[name] };
  }
  if (kind.hundredths?.includes(name)) return fieldFrom(stored, (hundredths) => toDecimal(Number(hundredths)));
  if (name === "id" && kind.retention?.summaries !== undefined)
    return fieldFrom(stored, (id) => (isSummary(id) ? undefined : id));
  if (!("as" in source)) return fieldFrom(stored);
  return source.as === "key"
    ? fieldFrom(selectId(kind, name, stored))
    : fieldFrom(stored, source.as === "json" ? parse : undefined);
}

function parse(text: unknown): unknown {
  return text === null ? null : JSON.parse(String(text));
}

// The text with the fields that are stored together is parsed once for each row. A row has at most one such text.
const parsedTexts = new WeakMap<Row, Record<string, unknown>>();

function objectIn(row: Row, text: string): Record<string, unknown> {
  const parsed = parsedTexts.get(row) ?? (JSON.parse(String(row[text])) as Record<string, unknown>);
  parsedTexts.set(row, parsed);
  return parsed;
}

/** A table with at most this many rows is read once for a page, because most lines of the page name one of its rows. */
const SMALL_TABLE_ROWS = 500;

/** The id of the record whose key a column has, in SQL. */
function selectId(kind: Kind, name: string, column: string): string {
  const target = kind.references[name];
  if (target === undefined) throw new Error(`${kind.record}.${name} is no reference.`);
  const table = tableName(target);
  const id = `(SELECT id FROM ${table} AS target WHERE target.key = ${column})`;
  if (target.oftenSmall === undefined) return id;
  // The rows are never removed, so the greatest key is their number. SQLite computes this object once for all lines.
  const allIds = `SELECT json_group_object(key, id) FROM ${table} WHERE (SELECT max(key) FROM ${table}) <= ${SMALL_TABLE_ROWS}`;
  return `coalesce((${allIds}) ->> CAST(${column} AS TEXT), ${id})`;
}
