import { type SQL, sql } from "drizzle-orm";
import type { Referred } from "../../db/columns.ts";
import { isSummary } from "../../db/derived/summaries.ts";
import type { Fields, Kind } from "../../db/kind.ts";
import { fieldsIn } from "../../db/record.ts";
import { toDecimal } from "../../values/decimal.ts";
import { tableName } from "../kind.ts";

// An export turns each row into the feed line that would write it. It reads most fields from the column that holds them.

export type Row = Readonly<Record<string, unknown>>;

/** How rows become lines. */
export interface Reader {
  /** The columns to select, by name. */
  columns: Readonly<Record<string, SQL>>;
  toLine: (row: Row) => Fields;
}

interface FieldReader {
  name: string;
  columns: Readonly<Record<string, SQL>>;
  value: (row: Row) => unknown;
}

/** Reads these fields of a kind; the field `deleted` makes a line that deletes its record. */
export function readerOf(kind: Kind, names: readonly string[]): Reader {
  const fields = names.map((name) => toField(kind, name));
  return {
    columns: Object.assign({}, ...fields.map(({ columns }) => columns)),
    toLine: (row) => ({
      record: kind.record,
      ...Object.fromEntries(fields.map(({ name, value }) => [name, value(row)])),
    }),
  };
}

function toField(kind: Kind, name: string): FieldReader {
  const fieldFrom = (expression: SQL, toValue = (stored: unknown) => stored): FieldReader => ({
    name,
    columns: { [name]: expression },
    value: (row) => toValue(row[name]),
  });
  if (name === "deleted") return { name, columns: {}, value: () => true };
  // A summary has `sealed` in place of its id: a restore gives records other keys, and the id is made of keys.
  if (name === "sealed") return { name, columns: {}, value: ({ id }) => isSummary(id) || undefined };
  const read = kind.read?.fields?.[name];
  if (read !== undefined) {
    const toValue = (stored: unknown) => (read.isJson ? parse(stored) : stored);
    return fieldFrom(read.sql, (stored) => (stored === null && read.isLeftOutIfNull ? undefined : toValue(stored)));
  }
  const found = Object.entries(kind.columns).find(([column, how]) => name in fieldsIn(column, how));
  if (found === undefined) throw new Error(`Nothing says how to read ${name} of ${kind.record}.`);
  const [column, how] = found;
  const stored = sql.raw(`${tableName(kind)}.${column}`);
  if (how.as === "together") {
    const text = `${column}_text`;
    return { name, columns: { [text]: stored }, value: (row) => objectIn(row, text)[name] };
  }
  if (how.to !== undefined && how.value === undefined) return fieldFrom(selectId(how.to, stored));
  if (name === "id" && kind.retention?.summaries !== undefined)
    return fieldFrom(stored, (id) => (isSummary(id) ? undefined : id));
  if (how.as === "hundredths") return fieldFrom(stored, (hundredths) => toDecimal(Number(hundredths)));
  return fieldFrom(stored, how.as === "json" ? parse : undefined);
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
function selectId({ table, keyColumn, idsAtOnce }: Referred, column: SQL): SQL {
  if (keyColumn === "id") return column;
  const id = sql`(SELECT id FROM ${table} AS target WHERE target.key = ${column})`;
  if (idsAtOnce === undefined) return id;
  // The rows are never removed, so the greatest key is their number. SQLite computes this object once for all lines.
  const allIds = sql`SELECT json_group_object(key, id) FROM ${table}
    WHERE (SELECT max(key) FROM ${table}) <= ${sql.raw(String(SMALL_TABLE_ROWS))}`;
  return sql`coalesce((${allIds}) ->> CAST(${column} AS TEXT), ${id})`;
}
