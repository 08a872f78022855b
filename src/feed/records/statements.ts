import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import type { Statement } from "../../db/database.ts";
import { namedRows, type RowValues, rowsOf, toJsonTexts } from "../../db/json-rows.ts";
import {
  columnsOf,
  type EventKind,
  type Fault,
  type Kind,
  keyOf,
  type Line,
  type Row,
  type StateKind,
} from "./kind.ts";

// The statements that a kind's lines become. Names that stand in them unquoted are this code's own, never a user's.

const NOW = "(SELECT now FROM clock)";

/** Writes the lines' records: a row that would not change is not written at all. */
export function upsert(kind: StateKind, lines: readonly Line[]): Statement[] {
  const { deletion, fixed, key } = kind;
  const table = tableName(kind);
  const columns = columnsOf(kind);
  const changing = columns.filter((column) => !key.includes(column) && !fixed.includes(column));
  const news = new Map(changing.map((column) => [column, `excluded.${column}`]));
  if (deletion !== undefined) news.set(deletion.column, String(deletion.live));
  const guards = fixed.filter((column) => !key.includes(column)).map((one) => `${table}.${one} IS excluded.${one}`);
  const change = `(${[...news.keys()].map((one) => `${table}.${one}`)}) IS NOT (${[...news.values()]})`;
  const onConflict =
    news.size === 0
      ? "DO NOTHING"
      : `DO UPDATE SET ${[...news].map(([column, value]) => `${column} = ${value}`)}
         WHERE ${[...guards, change].join(" AND ")}`;
  return writes(kind, lines).map(
    (insert) => sql`${insert} ON CONFLICT (${sql.raw(key.join(", "))}) ${sql.raw(onConflict)}`,
  );
}

/** Deletes the lines' records; each statement answers a row for every record that was there. */
export function remove({ deletion, ...kind }: StateKind, lines: readonly Line[]): Statement[] {
  const { key } = kind;
  const table = tableName(kind);
  return toJsonTexts(lines.map(({ row }) => valuesOf(row, key))).map((text) => {
    const among = sql`(${sql.raw(key.join(", "))}) IN (SELECT ${sql.raw(key.join(", "))} FROM ${rowsOf([text], key)})`;
    if (deletion === undefined) return sql`DELETE FROM ${sql.raw(table)} WHERE ${among} RETURNING 1`;
    const { column, live, clears = {} } = deletion;
    const cleared = Object.entries(clears).map(([name, value]) => sql`${sql.raw(name)} = ${value}`);
    const marks = sql.join([sql.raw(`${column} = ${1 - live}`), ...cleared], sql`, `);
    return sql`UPDATE ${sql.raw(table)} SET ${marks} WHERE ${sql.raw(`${column} = ${live}`)} AND ${among} RETURNING 1`;
  });
}

/** Writes the lines' events, each once; every statement answers a row for each that is new. */
export function insert(kind: EventKind, lines: readonly Line[]): Statement[] {
  return writes(kind, lines).map((statement) => sql`${statement} ON CONFLICT (id) DO NOTHING RETURNING 1`);
}

/** The `WITH` clause of an event's totals: its lines that are not stored yet. */
export function freshLines(kind: EventKind, lines: readonly Line[]): SQL {
  const columns = ["line", ...(kind.counted ?? columnsOf(kind))];
  const rows = lines.map(({ number, row }) => valuesOf({ ...row, line: number }, columns));
  return sql`WITH ${namedRows(kind.record, columns, rows, notStored(kind))}`;
}

/** The relations that checks look at: the lines, or of events only those whose id is not stored yet, and their lists. */
export function relations(kind: Kind, lines: readonly Line[], which: "all" | "fresh"): SQL[] {
  const columns = ["line", ...checkedColumns(kind)];
  const rows = lines.map(({ number, row }) => valuesOf({ ...row, line: number }, columns));
  const where = kind.type === "event" && which === "fresh" ? notStored(kind) : undefined;
  const lists = kind.lists ?? [];
  return [
    namedRows(kind.record, columns, rows, where),
    ...lists.map((list) => namedRows(list.name, ["line", ...list.columns], lines.flatMap(list.rows))),
  ];
}

/** What the kind's lines can break: a record that is not stored, a fixed column, a rule of its own. */
export function faultsOf(kind: Kind): Fault[] {
  const missing = kind.references.map(({ field, to, items }): Fault => {
    const id = `${items?.list ?? kind.record}.${items?.column ?? field}`;
    const stored = to.stored === undefined ? "" : ` AND ${to.stored}`;
    const when = sql.raw(`${id} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${to.table} WHERE id = ${id}${stored})`);
    return { field, text: "names a record that is not stored", when, ...(items && { from: items.list }) };
  });
  return [...missing, ...(kind.type === "state" ? fixedFaults(kind) : []), ...(kind.faults ?? [])];
}

function fixedFaults(kind: StateKind): Fault[] {
  const match = kind.key.map((one) => `stored.${one} = ${kind.record}.${one}`).join(" AND ");
  return kind.fixed.map((column) => {
    const given = `${kind.record}.${column}`;
    // A column that stays as it is when left out is no change when it is left out.
    const isGiven = kind.keeps?.includes(column) ? `${given} IS NOT NULL AND ` : "";
    const changed = `EXISTS (SELECT 1 FROM ${tableName(kind)} AS stored WHERE ${match} AND stored.${column} IS NOT ${given})`;
    return { field: column, text: "is fixed once written", when: sql.raw(isGiven + changed) };
  });
}

/** The accounts that the kind's lines touch, as queries of `(line, account)` over its relations. */
export function touchedAccounts(kind: Kind): SQL[] {
  const { record } = kind;
  const touched = kind.references
    .filter(({ to }) => to.account !== undefined)
    .map(({ field, to, items }) => {
      const from = items?.list ?? record;
      const id = `${from}.${items?.column ?? field}`;
      return sql.raw(`SELECT line, target.${to.account} FROM ${from} JOIN ${to.table} AS target ON target.id = ${id}`);
    });
  if (kind.type === "state" && kind.account !== undefined) {
    const match = kind.key.map((one) => `stored.${one} = ${record}.${one}`).join(" AND ");
    touched.push(sql.raw(`SELECT line, ${kind.account} FROM ${record}`));
    touched.push(
      sql.raw(`SELECT line, stored.${kind.account} FROM ${record} JOIN ${tableName(kind)} AS stored ON ${match}`),
    );
  }
  return kind.storedAccounts === undefined ? touched : [...touched, kind.storedAccounts];
}

function tableName(kind: Pick<Kind, "table">): string {
  return getTableConfig(kind.table).name;
}

function checkedColumns(kind: Kind): string[] {
  const own = kind.type === "state" ? [...kind.fixed, kind.account ?? []].flat() : [];
  const references = kind.references.filter(({ items }) => items === undefined).map(({ field }) => field);
  return [...new Set([...keyOf(kind), ...own, ...references, ...(kind.checked ?? [])])];
}

function valuesOf(row: Row, columns: readonly string[]): RowValues {
  return columns.map((column) => row[column] ?? null);
}

function notStored(kind: EventKind): SQL {
  return sql.raw(`NOT EXISTS (SELECT 1 FROM ${tableName(kind)} AS stored WHERE stored.id = given.id)`);
}

/** `INSERT INTO … SELECT …` for the lines, in parameters of the size that D1 takes, in the order of the lines. */
function writes(kind: Kind, lines: readonly Line[]): SQL[] {
  const columns = columnsOf(kind);
  const values = columns.map((column) => columnValue(kind, column)).join(", ");
  const into = sql.raw(`INSERT INTO ${tableName(kind)} (${columns.join(", ")}) SELECT ${values} FROM`);
  return toJsonTexts(lines.map(({ row }) => valuesOf(row, columns))).map(
    // Without WHERE, SQLite reads ON CONFLICT as the ON of a join.
    (text) => sql`${into} ${rowsOf([text], columns, kind.json)} AS line WHERE true ORDER BY place`,
  );
}

/** A column's value: the line's, or made of it; left out, what is stored or the time of storing, as the kind says. */
function columnValue(kind: Kind, column: string): string {
  const made = kind.made?.[column];
  if (made !== undefined) return made;
  const choices = [`line.${column}`];
  const isTime = kind.times?.includes(column) ?? false;
  if (kind.type === "state" && (isTime || kind.keeps?.includes(column))) {
    const match = kind.key.map((one) => `stored.${one} = line.${one}`).join(" AND ");
    choices.push(`(SELECT stored.${column} FROM ${tableName(kind)} AS stored WHERE ${match})`);
  }
  if (isTime) choices.push(NOW);
  return choices.length === 1 ? `line.${column}` : `coalesce(${choices.join(", ")})`;
}
