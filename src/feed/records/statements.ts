import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import type { Statement } from "../../db/database.ts";
import { joinRows, namedRows, type RowValues, rowsOf, toJsonTexts } from "../../db/json-rows.ts";
import {
  checkedColumns,
  columnsOf,
  countedColumns,
  type EventKind,
  type Fault,
  type Kind,
  keyOf,
  LIST_PIECE,
  type Line,
  type List,
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

/**
 * Writes the lines' lists, and takes them out of the lines. A list's SQL finds what is no longer listed by EXCEPT: where
 * NOT IN does not find a pair, SQLite reads the whole list to see whether anything in it is NULL.
 */
export function writeLists(kind: StateKind, lines: readonly Line[]): Statement[] {
  if (lines.length === 0) return [];
  const [key = ""] = keyOf(kind);
  const statements = (kind.lists ?? []).flatMap((list, index) =>
    list.write(
      sql`WITH ${listPieces(lines, index, ({ row }) => row[key])},
        fed(id) AS MATERIALIZED (SELECT DISTINCT of FROM piece),
        listed(id, item, place) AS MATERIALIZED (
          SELECT of, item.value, first + item.key FROM piece CROSS JOIN json_each(piece.items) AS item
        )`,
    ),
  );
  for (const line of lines) line.lists = [];
  return statements;
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
  const columns = ["line", ...countedColumns(kind)];
  return sql`WITH ${namedRows(kind.record, columns, numbered(lines, columns), notStored(kind))}`;
}

/** The relations in which faults are looked for: the lines that are written, of events the new ones, and their lists. */
export function writtenLines(kind: Kind, lines: readonly Line[]): SQL[] {
  const columns = ["line", ...checkedColumns(kind)];
  const where = kind.type === "event" ? notStored(kind) : undefined;
  return [
    namedRows(kind.record, columns, numbered(lines, columns), where),
    ...(kind.lists ?? []).map((list) => sql`${listColumns(list)} AS (${storedItems(kind, list)})`),
  ];
}

/** The relations in which accounts are looked for: all lines, and their lists, whether they are written or not. */
export function allLines(kind: Kind, all: readonly Line[], writes: readonly Line[]): SQL[] {
  const written = new Set(writes);
  const columns = ["line", ...checkedColumns(kind), "written"];
  const rows = all.map((line) =>
    valuesOf({ ...line.row, line: line.number, written: written.has(line) ? 1 : 0 }, columns),
  );
  const others = all.filter((line) => !written.has(line) && line.items > 0);
  return [
    namedRows(kind.record, columns, rows),
    ...(kind.lists ?? []).flatMap((list, index) => {
      const stored = sql`${storedItems(kind, list)} WHERE ${sql.raw(kind.record)}.written = 1`;
      if (others.length === 0) return [sql`${listColumns(list)} AS (${stored})`];
      const besides = sql.raw((list.besides ?? []).map(() => "NULL, ").join(""));
      return [
        listPieces(others, index, ({ number }) => number),
        sql`${listColumns(list)} AS (
          ${stored} UNION ALL SELECT of, ${besides}item.value FROM piece CROSS JOIN json_each(piece.items) AS item
        )`,
      ];
    }),
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

/** `piece(of, first, items)`: the lists of lines, of what they are, and the place of the first item. */
function listPieces(lines: readonly Line[], index: number, of: (line: Line) => unknown): SQL {
  const rows = lines.flatMap((line) =>
    (line.lists[index] ?? []).map((items, piece) => `[${JSON.stringify(of(line))},${piece * LIST_PIECE},${items}]`),
  );
  const columns = ["of", "first", "items"];
  return sql`piece AS MATERIALIZED (SELECT * FROM ${rowsOf(joinRows(rows), columns, ["items"])})`;
}

function listColumns({ name, besides = [], item }: List): SQL {
  return sql.raw(`${name}(${["line", ...besides, item].join(", ")})`);
}

/** The items of a list as they are stored, for the lines of the relation named after the kind. */
function storedItems({ record, ...kind }: Kind, { besides = [], item, stored }: List): SQL {
  const columns = [...["line", ...besides].map((one) => `${record}.${one}`), `stored.${item}`];
  const [key] = keyOf(kind as Kind);
  const where = stored.where === undefined ? "" : ` AND stored.${stored.where}`;
  const table = getTableConfig(stored.table).name;
  return sql.raw(
    `SELECT ${columns.join(", ")} FROM ${record} CROSS JOIN ${table} AS stored ON stored.${stored.of} = ${record}.${key}${where}`,
  );
}

function numbered(lines: readonly Line[], columns: readonly string[]): RowValues[] {
  return lines.map(({ number, row }) => valuesOf({ ...row, line: number }, columns));
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
  return joinRows(takenOut(lines)).map(
    // Without WHERE, SQLite reads ON CONFLICT as the ON of a join.
    (text) => sql`${into} ${rowsOf([text], columns, kind.json)} AS line WHERE true ORDER BY place`,
  );
}

function* takenOut(lines: readonly Line[]): Generator<string> {
  for (const line of lines) {
    yield line.text;
    line.text = "";
  }
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
