import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/database.ts";
import { addToVocabulary } from "../../db/derived/vocabularies.ts";
import { textOf } from "../../db/dialect.ts";
import { joinRows, rowsOf } from "../../db/json-rows.ts";
import type { Fields, Kind, Writing } from "../../db/kind.ts";
import { identifiers, joinWithCommas, NOW, selectList } from "../../db/select.ts";
import { hasKeyColumn, type Line, tableName } from "../kind.ts";

// The statements for the lines of a kind. In them, `item` is an element of a JSON array, and `line` is a line with the keys
// of its references, which `withReferenceKeys` looks up. No name in them comes from a user.

/** The number of a line and the values of `written`, as a JSON array. */
export function toJsonRow({ written }: Kind, number: number, fields: Fields): string {
  return JSON.stringify([number, ...written.map(({ value }) => value(fields))]);
}

/** Upserts states, unless the row would not change. Stores events once, and returns a row for each new event. */
export function write(kind: Kind, rowChunks: readonly string[]): Statement[] {
  const columns = ["number", ...kind.written.map(({ name }) => name)];
  const jsonColumns = kind.written.flatMap(({ name, json }) => (json ? [name] : []));
  return rowChunks.flatMap((chunk) => {
    const all = rowsOf([chunk], columns, jsonColumns);
    const lines = withReferenceKeys(kind, all, "drop");
    if (kind.type === "event") return [sql`${insertInto(kind, lines)} ON CONFLICT (id) DO NOTHING RETURNING 1`];
    const upserts = kind.write?.statements?.(upsert(kind, lines), all) ?? [upsert(kind, lines)];
    return kind.vocabulary === undefined ? upserts : [...upserts, addToVocabulary(kind.vocabulary, all)];
  });
}

function upsert(kind: Kind, lines: SQL): SQL {
  const { columns, deletion, fixed, key } = kind;
  const table = tableName(kind);
  // A line with another value in a fixed column changes the rest of the row, and then its check undoes the request.
  const changing = Object.keys(columns).filter(
    (column) => !key.includes(column) && !fixed.some((never) => never.column === column),
  );
  const newValues = new Map(changing.map((column) => [column, `excluded.${column}`]));
  if (deletion !== undefined) newValues.set(deletion.column, String(1 - deletion.is));
  if (newValues.size === 0) return sql`${insertInto(kind, lines)} ON CONFLICT DO NOTHING`;
  const sets = [...newValues].map(([column, value]) => `${column} = ${value}`);
  const change = `(${[...newValues.keys()].map((column) => `${table}.${column}`)}) IS NOT (${[...newValues.values()]})`;
  return sql`${insertInto(kind, lines)} ON CONFLICT (${sql.raw(key.join(", "))}) DO UPDATE
    SET ${sql.raw(sets.join(", "))} WHERE ${sql.raw(change)}`;
}

/** The first part of each kind's `INSERT`, everything before its `FROM`, as text that Drizzle has written once. */
const inserts = new WeakMap<Kind, SQL>();

function insertOf(kind: Kind): SQL {
  const known = inserts.get(kind);
  if (known !== undefined) return known;
  const columns = Object.keys(kind.columns);
  const values = joinWithCommas(columns.map((column) => columnValue(kind, column)));
  const insert = sql.raw(textOf(sql`INSERT INTO ${kind.table} (${identifiers(columns)}) SELECT ${values}`));
  inserts.set(kind, insert);
  return insert;
}

function insertInto(kind: Kind, lines: SQL): SQL {
  // If the table is stored by id, SQLite writes each page of it only once in this order.
  const order = sql.raw(kind.keyFields[0] === "id" && !hasKeyColumn(kind) ? "line.id" : "position");
  // Without WHERE, SQLite reads ON CONFLICT as the ON of a join.
  return sql`${insertOf(kind)}
    FROM ${lines} AS line WHERE true ORDER BY ${order}`;
}

/** The value of a column, as an expression on `line`. */
export function columnValue(kind: Kind, column: string): SQL {
  const how = kind.columns[column];
  if (how === undefined) throw new Error(`${kind.record} does not fill its column ${column}.`);
  const onLine = sql.raw(`line.${column}`);
  if (how.as !== "time") return how.value ?? onLine;
  if (kind.type === "event") return sql`coalesce(${onLine}, ${NOW})`;
  const match = kind.key.map((name) => sql`${sql.raw(`stored.${name}`)} = ${columnValue(kind, name)}`);
  const stored = sql`SELECT ${sql.raw(`stored.${column}`)} FROM ${kind.table} AS stored WHERE ${sql.join(match, sql` AND `)}`;
  return sql`coalesce(${onLine}, (${stored}), ${NOW})`;
}

/** Deletes the records of lines, and returns a row for each record that was there. */
export function remove(kind: Kind, lines: readonly Line[]): Statement[] {
  if (lines.length === 0) return [];
  const found = withReferenceKeys(kind, linesWithFields(kind, lines), "drop", kind.keyFields);
  if (kind.remove !== undefined) return kind.remove(found);
  const { deletion, key, table } = kind;
  const values = joinWithCommas(key.map((column) => columnValue(kind, column)));
  const among = sql`(${identifiers(key)}) IN (SELECT ${values} FROM ${found} AS line)`;
  if (deletion === undefined) return [sql`DELETE FROM ${table} WHERE ${among} RETURNING 1`];
  const { column, is, empties } = deletion;
  const sets = [`${column} = ${is}`, ...(empties ? emptyColumns(kind) : [])].join(", ");
  return [sql`UPDATE ${table} SET ${sql.raw(sets)} WHERE ${sql.raw(`${column} = ${1 - is}`)} AND ${among} RETURNING 1`];
}

/** Assignments that empty every text that lines fill, except the id. */
function emptyColumns({ table, columns }: Kind): string[] {
  const filled = Object.values(getTableColumns(table)).filter(
    ({ name, dataType }) => name in columns && name !== "id" && dataType === "string",
  );
  return filled.map(({ name, notNull }) => `${name} = ${notNull ? "''" : "NULL"}`);
}

/** The statements that take new events of a kind into account. */
export function upkeepOf({ write }: Kind): NonNullable<Writing["upkeep"]> {
  return [...(write?.upkeep ?? []), ...(write?.totals ?? []).map(({ addTo }) => addTo)];
}

/** A subquery with the values of lines that checks and upkeep read: `number`, and each value by its name. */
export function linesWithFields(kind: Kind, lines: readonly Line[], names = kind.lineFields): SQL {
  return rowsOf(chunksWithFields(lines, names), ["number", ...names]);
}

function chunksWithFields(lines: readonly Line[], names: readonly string[]): string[] {
  return joinRows(lines.map(({ number, values }) => JSON.stringify([number, ...names.map((name) => values[name])])));
}

/**
 * A subquery with lines and the keys of the records that they refer to. `drop` leaves out a line with a required reference
 * that is not stored, because a check reports it; `keep` gives it a NULL key. `fields`: only these references.
 */
export function withReferenceKeys(
  kind: Kind,
  lines: SQL,
  withMissing: "drop" | "keep",
  fields?: readonly string[],
): SQL {
  const references = kind.references.filter(({ field }) => fields?.includes(field) ?? true);
  const joins = references.map(({ field, to, isOptional }, index) => {
    const target = `target_${index}`;
    const join = withMissing === "drop" && !isOptional ? "CROSS JOIN" : "LEFT JOIN";
    // An erased customer counts as not stored (docs/contract/feed.md, 2), but not for an event that undoes another.
    const undoes = kind.type === "event" ? "OR unresolved.id GLOB 'undo:*'" : "";
    const stored = to.deletion?.empties ? `AND (${target}.${to.deletion.column} = 0 ${undoes})` : "";
    return `${join} ${tableName(to)} AS ${target} ON ${target}.id = unresolved.${field} ${stored}`;
  });
  const keys = references.map(({ key, to }, index) => `, target_${index}.${to.keyColumn ?? "key"} AS ${key}`);
  return sql`(SELECT unresolved.* ${sql.raw(keys.join(""))} FROM ${lines} AS unresolved ${sql.raw(joins.join(" "))})`;
}

/** For a `WITH` clause: lines with the keys of their references, under the name of the kind. */
export function relation(kind: Kind, lines: readonly Line[], names = kind.lineFields): SQL {
  const found = withReferenceKeys(kind, linesWithFields(kind, lines, names), "keep");
  return sql`${sql.raw(kind.record)} AS MATERIALIZED (SELECT ${selectList(relationColumns(kind, names))} FROM ${found} AS line)`;
}

/** The columns of a relation: of the line, the keys of its references, and the keys that an event makes of these. */
function relationColumns(kind: Kind, names = kind.lineFields): Record<string, SQL> {
  const { type, references, columns } = kind;
  const onLine = ["number", ...names, ...references.map(({ key }) => key)];
  const made = Object.keys(columns).filter(
    (name) => columns[name]?.to !== undefined && columns[name].value !== undefined,
  );
  return {
    ...Object.fromEntries(onLine.map((name) => [name, sql.raw(`line.${name}`)])),
    ...(type === "event" && Object.fromEntries(made.map((name) => [name, columnValue(kind, name)]))),
  };
}

// The checks and each statement of upkeep look up which events are new. For a kind with more than two statements of upkeep,
// a request with this many events looks them up once, and puts them into `fresh_events`. A small request does not, because
// this writes two rows.
const COLLECTED_FROM_LINES = 1_000;

function areCollected(kind: Kind, lines: readonly Line[]): boolean {
  return upkeepOf(kind).length > 2 && lines.length >= COLLECTED_FROM_LINES;
}

/** Puts the new events of a large request into `fresh_events`. */
export function collectFreshEvents(kind: Kind, lines: readonly Line[]): Statement[] {
  if (!areCollected(kind, lines)) return [];
  return chunksWithFields(lines, kind.lineFields).map(
    (chunk) => sql`
      INSERT INTO fresh_events (record, lines)
      SELECT ${kind.record}, json_group_array(json_array(${joinWithCommas(Object.values(relationColumns(kind)))}))
      FROM ${notStored(kind, rowsOf([chunk], ["number", ...kind.lineFields]))} AS line HAVING count(*) > 0`,
  );
}

/** For a `WITH` clause: the events whose id is not stored yet, like `relation`. */
export function freshEvents(kind: Kind, lines: readonly Line[], hint: "MATERIALIZED" | ""): SQL {
  const columns = relationColumns(kind);
  const values = Object.keys(columns).map((name, index) => `item.value ->> ${index} AS ${name}`);
  const collected = sql`SELECT ${sql.raw(values.join(", "))}
    FROM fresh_events CROSS JOIN json_each(fresh_events.lines) AS item WHERE fresh_events.record = ${kind.record}`;
  const found = sql`SELECT ${selectList(columns)} FROM ${notStored(kind, linesWithFields(kind, lines))} AS line`;
  return sql`${sql.raw(`${kind.record} AS ${hint}`)} (${areCollected(kind, lines) ? collected : found})`;
}

function notStored(kind: Kind, lines: SQL): SQL {
  return sql`(
    SELECT * FROM ${withReferenceKeys(kind, lines, "keep")} AS line
    WHERE NOT EXISTS (SELECT 1 FROM ${kind.table} AS stored WHERE stored.id = ${columnValue(kind, "id")})
  )`;
}
