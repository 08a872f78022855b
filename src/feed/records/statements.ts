import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/database.ts";
import { addToVocabulary } from "../../db/derived/vocabularies.ts";
import { joinRows, rowsOf } from "../../db/json-rows.ts";
import { NOW_TEXT } from "../../db/select.ts";
import type { Fields } from "./kind.ts";
import { type Kind, type Line, referenceKey, tableName } from "./kind.ts";

// The statements that a kind's lines become. Names that stand in them unquoted are this code's own, never a user's. In
// SQL `item` is an element of JSON. `resolved` looks up what lines as `given` refer to; everything else sees them as `line`.

/** A line's number and what it writes, as a JSON array. */
export function toJsonRow({ written }: Kind, number: number, fields: Fields): string {
  return JSON.stringify([number, ...written.map(({ value }) => value(fields))]);
}

/**
 * Writes lines, whose rows are JSON texts of a parameter each: states are upserted, and a row that would not change is not
 * written at all; of events each is written once, and every statement answers a row for each that is new.
 */
export function write(kind: Kind, rowChunks: readonly string[]): Statement[] {
  const json = kind.written.filter((one) => one.json).map(({ name }) => name);
  return rowChunks.flatMap((chunk) => {
    const all = rowsOf([chunk], writtenColumns(kind), json);
    const lines = resolved(kind, all, "drop");
    const statements = kind.write?.(lines, all) ?? [kind.type === "event" ? insert(kind, lines) : upsert(kind, lines)];
    return [...statements, ...addWords(kind, chunk)];
  });
}

function writtenColumns({ written }: Kind): string[] {
  return ["number", ...written.map(({ name }) => name)];
}

/** Adds the words that lines write, each once. */
function addWords(kind: Kind, rowChunk: string): Statement[] {
  if (kind.words === undefined) return [];
  const column = writtenColumns(kind).indexOf("words");
  const rows = JSON.parse(rowChunk) as unknown[][];
  const words = new Set(rows.flatMap((row) => String(row[column]).split(" ")));
  return [addToVocabulary(kind.words.vocabulary, [...words].join(" "))];
}

export function upsert(kind: Kind, lines: SQL): SQL {
  const { columns, deletion, fixed, key } = kind;
  const table = tableName(kind);
  // A line that differs in a fixed column changes the rest of the row, but its check undoes the request.
  const changing = Object.keys(columns).filter((column) => !key.includes(column) && !fixed.includes(column));
  const newValues = new Map(changing.map((column) => [column, `excluded.${column}`]));
  if (deletion !== undefined) newValues.set(deletion.column, String(1 - deletion.is));
  if (newValues.size === 0) return sql`${insertInto(kind, lines)} ON CONFLICT DO NOTHING`;
  const sets = [...newValues].map(([column, value]) => `${column} = ${value}`);
  const change = `(${[...newValues.keys()].map((one) => `${table}.${one}`)}) IS NOT (${[...newValues.values()]})`;
  return sql`${insertInto(kind, lines)} ON CONFLICT (${sql.raw(key.join(", "))}) DO UPDATE
    SET ${sql.raw(sets.join(", "))} WHERE ${sql.raw(change)}`;
}

function insert(kind: Kind, lines: SQL): SQL {
  return sql`${insertInto(kind, lines)} ON CONFLICT (id) DO NOTHING RETURNING 1`;
}

function insertInto(kind: Kind, lines: SQL): SQL {
  const columns = Object.keys(kind.columns);
  const values = columns.map((column) => columnValue(kind, column)).join(", ");
  // Without WHERE, SQLite reads ON CONFLICT as the ON of a join.
  return sql`${sql.raw(`INSERT INTO ${tableName(kind)} (${columns.join(", ")}) SELECT ${values}`)}
    FROM ${lines} AS line WHERE true ORDER BY position`;
}

/** A column's value: the line's, or made of it; a time that is left out is what is stored, or now. */
function columnValue(kind: Kind, column: string): string {
  const source = kind.columns[column];
  if (source === undefined) throw new Error(`${kind.record} does not fill its column ${column}.`);
  if ("sql" in source) return source.sql;
  if (!("field" in source)) return `line.${column}`;
  if (source.as === "key") return `line.${referenceKey(source.field)}`;
  if (source.as !== "time") return `line.${source.field}`;
  const stored = kind.type === "state" ? [storedValue(kind, column)] : [];
  return `coalesce(${[`line.${source.field}`, ...stored, NOW_TEXT].join(", ")})`;
}

function storedValue(kind: Kind, column: string): string {
  const match = kind.key.map((one) => `stored.${one} = ${columnValue(kind, one)}`);
  return `(SELECT stored.${column} FROM ${tableName(kind)} AS stored WHERE ${match.join(" AND ")})`;
}

/** Deletes the lines' records; the statements answer a row for every record that was there. */
export function remove(kind: Kind, lines: readonly Line[]): Statement[] {
  if (lines.length === 0) return [];
  const found = resolved(kind, checkedLines(kind, lines), "drop", kind.keyFields);
  if (kind.remove !== undefined) return kind.remove(found);
  const { deletion, key } = kind;
  const table = sql.raw(tableName(kind));
  const values = key.map((column) => columnValue(kind, column));
  const among = sql`(${sql.raw(key.join(", "))}) IN (SELECT ${sql.raw(values.join(", "))} FROM ${found} AS line)`;
  if (deletion === undefined) return [sql`DELETE FROM ${table} WHERE ${among} RETURNING 1`];
  const { column, is } = deletion;
  const sets = [`${column} = ${is}`, ...(column === "erased" ? forgetAll(kind) : [])].join(", ");
  return [sql`UPDATE ${table} SET ${sql.raw(sets)} WHERE ${sql.raw(`${column} = ${1 - is}`)} AND ${among} RETURNING 1`];
}

/** Empties every column that a line fills but the id. */
function forgetAll({ table, columns }: Kind): string[] {
  const filled = Object.values(getTableColumns(table)).filter(({ name }) => name in columns && name !== "id");
  return filled.map(({ name, notNull }) => `${name} = ${notNull ? "''" : "NULL"}`);
}

/** What checks and totals look at in the lines, as a subquery: `number`, and each value. */
export function checkedLines(kind: Kind, lines: readonly Line[], names = kind.checkedFields): SQL {
  return rowsOf(checkedChunks(lines, names), ["number", ...names]);
}

function checkedChunks(lines: readonly Line[], names: readonly string[]): string[] {
  return joinRows(lines.map(({ number, checked }) => JSON.stringify([number, ...names.map((name) => checked[name])])));
}

/**
 * The lines with the keys of what they refer to, as a subquery. `drop` leaves out lines with a required reference that
 * is not stored (the checks report them); `keep` gives these NULL keys. `fields`: only these references.
 */
export function resolved(kind: Kind, lines: SQL, unresolved: "drop" | "keep", fields?: readonly string[]): SQL {
  const references = Object.entries(kind.references).filter(([field]) => fields?.includes(field) ?? true);
  const joins = references.map(([field, to], index) => {
    const target = `target_${index}`;
    const isNeeded = unresolved === "drop" && !isOptional(kind, field);
    const stored = to.stored === undefined ? "" : `AND ${to.stored(target)}`;
    return `${isNeeded ? "CROSS" : "LEFT"} JOIN ${tableName(to)} AS ${target} ON ${target}.id = given.${field} ${stored}`;
  });
  const keys = references.map(([field], index) => `, target_${index}.key AS ${referenceKey(field)}`);
  return sql`(SELECT given.* ${sql.raw(keys.join(""))} FROM ${lines} AS given ${sql.raw(joins.join(" "))})`;
}

/** The columns that `resolved` adds to the lines. */
export function referenceKeys({ references }: Kind): string[] {
  return Object.keys(references).map(referenceKey);
}

/** Whether a reference may be left out. */
function isOptional({ fields }: Kind, field: string): boolean {
  return fields.shape[field]?.safeParse(undefined).success ?? false;
}

// Each check and total looks up the ids of its events for itself. Where a kind has more than two totals, from so many
// lines on that is done once instead, for all of them: it writes two rows, which a small request should not pay for.
const COLLECTED_FROM_LINES = 1_000;

function areCollected(kind: Kind, lines: readonly Line[]): boolean {
  return (kind.totals?.length ?? 0) > 2 && lines.length >= COLLECTED_FROM_LINES;
}

function eventColumns(kind: Kind): string[] {
  return ["number", ...kind.checkedFields, ...referenceKeys(kind)];
}

/** Puts many events that are not stored yet into `fresh_events`, where `freshEvents` then reads them. */
export function collectFreshEvents(kind: Kind, lines: readonly Line[]): Statement[] {
  if (!areCollected(kind, lines)) return [];
  return checkedChunks(lines, kind.checkedFields).map(
    (chunk) => sql`
      INSERT INTO fresh_events (record, lines)
      SELECT ${kind.record}, json_group_array(json_array(${sql.raw(eventColumns(kind).join(", "))}))
      FROM ${notStored(kind, rowsOf([chunk], ["number", ...kind.checkedFields]))} HAVING count(*) > 0`,
  );
}

/** Takes them out again. */
export const dropFreshEvents = (): Statement => sql`DELETE FROM fresh_events`;

/** For a `WITH` clause: the lines' events that are not stored yet, as a relation named after the record. */
export function freshEvents(kind: Kind, lines: readonly Line[], hint: "MATERIALIZED" | ""): SQL {
  const columns = eventColumns(kind);
  const values = columns.map((name, index) => `item.value ->> ${index} AS ${name}`);
  const collected = sql`SELECT ${sql.raw(values.join(", "))}
    FROM fresh_events CROSS JOIN json_each(fresh_events.lines) AS item WHERE fresh_events.record = ${kind.record}`;
  const found = sql`SELECT ${sql.raw(columns.join(", "))} FROM ${notStored(kind, checkedLines(kind, lines))}`;
  return sql`${sql.raw(`${kind.record} AS ${hint}`)} (${areCollected(kind, lines) ? collected : found})`;
}

function notStored(kind: Kind, lines: SQL): SQL {
  return sql`(
    SELECT * FROM ${resolved(kind, lines, "keep")} AS line
    WHERE NOT EXISTS (SELECT 1 FROM ${sql.raw(`${tableName(kind)} AS stored WHERE stored.id = ${columnValue(kind, "id")}`)})
  )`;
}
