import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/database.ts";
import { addToVocabulary } from "../../db/derived/vocabularies.ts";
import { freshEvents } from "./fresh-events.ts";
import { type EventKind, type Fault, type Kind, keyName, type Line, type StateKind, tableName } from "./kind.ts";
import { fieldOf, otherLines, usedFieldLines, usedFields, writtenLines, writtenWords } from "./line-texts.ts";
import { referenceKeys, resolved } from "./resolved-lines.ts";

// The statements that a kind's lines become. Names that stand in them unquoted are this code's own, never a user's.

const NOW = "(SELECT now FROM clock)";

/** Writes the lines' records and the items of their lists: a row that would not change is not written at all. */
export function upsert(kind: StateKind, lines: readonly Line[]): Statement[] {
  const { deletion, fixed, key } = kind;
  const table = tableName(kind);
  const columns = Object.keys(kind.columns);
  const changing = columns.filter((column) => !key.includes(column) && !fixed.includes(column));
  const news = new Map(changing.map((column) => [column, `excluded.${column}`]));
  if (deletion !== undefined) news.set(deletion.column, String(deletion.live));
  // A list is checked as it is written. Where a fixed column differs, the check of it undoes the request.
  const guarded = kind.list === undefined ? fixed.filter((column) => !key.includes(column)) : [];
  const guards = guarded.map((one) => `${table}.${one} IS excluded.${one}`);
  const change = `(${[...news.keys()].map((one) => `${table}.${one}`)}) IS NOT (${[...news.values()]})`;
  const onConflict =
    news.size === 0
      ? "DO NOTHING"
      : `DO UPDATE SET ${[...news].map(([column, value]) => `${column} = ${value}`)}
         WHERE ${[...guards, change].join(" AND ")}`;
  return writtenLines(kind, lines).flatMap(({ text, rows }) => [
    sql`${insertLines(kind, rows)} ON CONFLICT (${sql.raw(key.join(", "))}) ${sql.raw(onConflict)}`,
    ...(kind.writeItems?.(rows) ?? []),
    ...(kind.vocabulary === undefined ? [] : [addToVocabulary(kind.vocabulary, writtenWords(kind, text))]),
  ]);
}

/** Deletes the lines' records; the statement answers a row for every record that was there. */
export function remove(kind: StateKind, lines: readonly Line[]): Statement[] {
  if (lines.length === 0) return [];
  if (kind.remove !== undefined) return kind.remove(usedFieldLines(kind, lines));
  const { deletion, key } = kind;
  const [table, keys] = [sql.raw(tableName(kind)), sql.raw(key.join(", "))];
  const values = sql.raw(key.map((column) => columnValue(kind, column)).join(", "));
  const given = resolved(kind, usedFieldLines(kind, lines), "pick", kind.keyFields);
  const among = sql`(${keys}) IN (SELECT ${values} FROM ${given} AS line)`;
  if (deletion === undefined) return [sql`DELETE FROM ${table} WHERE ${among} RETURNING 1`];
  const { column, live, clears = {} } = deletion;
  const sets = [
    `${column} = ${1 - live}`,
    ...Object.entries(clears).map(([name, value]) => `${name} = ${value === null ? "NULL" : "''"}`),
  ];
  return [
    sql`UPDATE ${table} SET ${sql.raw(sets.join(", "))}
      WHERE ${sql.raw(`${column} = ${live}`)} AND ${among} RETURNING 1`,
  ];
}

/** Writes the lines' events, each once; every statement answers a row for each that is new. */
export function insert(kind: EventKind, lines: readonly Line[]): Statement[] {
  return writtenLines(kind, lines).map(
    ({ rows }) => sql`${insertLines(kind, rows)} ON CONFLICT (id) DO NOTHING RETURNING 1`,
  );
}

/** The relations in which faults are looked for: the deduplicated lines, of events only those whose id is not stored yet. */
export function deduplicatedRelations(kind: Kind, lines: readonly Line[]): SQL[] {
  if (kind.type === "event") return [freshEvents(kind, lines, "MATERIALIZED")];
  return [relation(kind, usedFieldLines(kind, lines)), ...storedItems(kind)];
}

/** The relations in which accounts are looked for: all lines, also those that a later one replaces. */
export function allRelations(kind: Kind, all: readonly Line[], deduplicated: readonly Line[]): SQL[] {
  const counting = new Set(deduplicated);
  const given = relation(kind, usedFieldLines(kind, all, counting));
  const others = all.filter((line) => line.items > 0 && !counting.has(line));
  return [given, ...storedItems(kind, others)];
}

function relation(kind: Kind, lines: SQL): SQL {
  const names = ["number AS line", "counts", ...usedFields(kind), ...referenceKeys(kind)];
  return sql`${sql.raw(kind.record)} AS MATERIALIZED (
    SELECT ${sql.raw(names.join(", "))} FROM ${resolved(kind, lines, "keep")} AS line
  )`;
}

/** The items of lists as they are stored now, and those of lines that do not count as they were given. */
function storedItems(kind: Kind, others: readonly Line[] = []): SQL[] {
  const { record, list } = kind;
  if (list?.checked === undefined) return [];
  const { name, key, to, items } = list.checked;
  const columns = ["line", ...referenceKeys(kind)];
  const stored = sql`SELECT ${sql.raw(columns.map((one) => `${record}.${one}`).join(", "))}, item.value
    FROM ${sql.raw(`${record} CROSS JOIN ${tableName(kind)} AS stored ON stored.id = ${record}.id CROSS JOIN`)} ${items}
    WHERE ${sql.raw(record)}.counts = 1`;
  const given = sql`
    UNION ALL SELECT ${sql.raw(columns.map((one) => (one === "line" ? "given.number" : "NULL")).join(", "))}, target.key
    FROM ${otherLines(kind, others)} AS given
    CROSS JOIN json_each(${sql.raw(`given.${list.field}`)}) AS item
    CROSS JOIN ${sql.raw(`${tableName(to)} AS target ON target.id = item.value`)}`;
  return [
    sql`${sql.raw(`${name}(${[...columns, key].join(", ")})`)} AS MATERIALIZED (
      ${stored} ${others.length > 0 ? given : sql``}
    )`,
  ];
}

/** What the kind's lines can break: a record that is not stored, a fixed column, a rule of its own. */
export function faultsOf(kind: Kind): Fault[] {
  const missing = Object.keys(kind.references).map((field) => ({
    field,
    text: NOT_STORED,
    when: sql.raw(`${field} IS NOT NULL AND ${keyName(field)} IS NULL`),
  }));
  return [...missing, ...(kind.type === "state" ? fixedFaults(kind) : []), ...(kind.faults ?? [])];
}

export const NOT_STORED = "names a record that is not stored";

function fixedFaults(kind: StateKind): Fault[] {
  const match = storedMatch(kind, (column) => `${kind.record}.${column}`);
  return kind.fixed.map((column) => {
    const source = kind.columns[column];
    const field = fieldOf(source) ?? column;
    // A column that stays as it is when left out is no change when it is left out.
    const isGiven =
      typeof source === "object" && "keepsStored" in source && source.keepsStored
        ? `${kind.record}.${field} IS NOT NULL AND `
        : "";
    const changed = `EXISTS (
      SELECT 1 FROM ${tableName(kind)} AS stored WHERE ${match} AND stored.${column} IS NOT ${kind.record}.${column}
    )`;
    return { field, text: "is fixed once written", when: sql.raw(isGiven + changed) };
  });
}

/** The accounts that the kind's lines touch, as queries of `(line, account)` over its relations: public ids. */
export function touchedAccounts(kind: Kind): SQL[] {
  const { record } = kind;
  const references = Object.entries(kind.references).map(([field, to]) => ({ from: record, key: keyName(field), to }));
  const checked = kind.list?.checked;
  const items = checked === undefined ? [] : [{ ...checked, from: checked.name }];
  const touched = [...references, ...items].flatMap(({ from, key, to }) =>
    to.account === undefined
      ? []
      : [
          sql.raw(`SELECT line, account.id FROM ${from}
            JOIN ${tableName(to)} AS target ON target.key = ${from}.${key}
            JOIN accounts AS account ON account.key = target.${to.account}`),
        ],
  );
  if (kind.type === "state" && kind.account !== undefined) {
    touched.push(sql.raw(`SELECT line, ${kind.account} FROM ${record}`));
    if (kind.account !== "id") {
      touched.push(
        sql.raw(`SELECT line, account.id FROM ${record} JOIN ${tableName(kind)} AS stored ON stored.id = ${record}.id
          JOIN accounts AS account ON account.key = stored.account_key`),
      );
    }
  }
  if (kind.storedAccounts !== undefined) {
    touched.push(sql`SELECT line, account.id FROM (${kind.storedAccounts}) AS stored
      JOIN accounts AS account ON account.key = stored.account_key`);
  }
  return touched;
}

/** `INSERT INTO … SELECT …` for the lines, in their order; those whose references are not stored are left out. */
function insertLines(kind: Kind, written: SQL): SQL {
  const columns = Object.keys(kind.columns);
  const values = columns.map((column) => columnValue(kind, column)).join(", ");
  // Without WHERE, SQLite reads ON CONFLICT as the ON of a join.
  return sql`${sql.raw(`INSERT INTO ${tableName(kind)} (${columns.join(", ")}) SELECT ${values}`)}
    FROM ${resolved(kind, written, "pick")} AS line WHERE true ORDER BY position`;
}

/** A column's value: the line's, or made of it; left out, what is stored or the time of storing, as the kind says. */
function columnValue(kind: Kind, column: string): string {
  const source = kind.columns[column];
  if (source === undefined) throw new Error(`${kind.record} has no column ${column}.`);
  if (typeof source === "string") return `line.${source}`;
  if ("sql" in source) return source.sql;
  if ("json" in source && typeof source.json === "string") return `line.${source.json}`;
  if ("made" in source || "together" in source) return `line.${column}`;
  if ("time" in source) {
    const choices = [`line.${source.time}`, ...(kind.type === "state" ? [storedValue(kind, column)] : []), NOW];
    return `coalesce(${choices.join(", ")})`;
  }
  if (!("key" in source)) throw new Error(`${kind.record} cannot fill its column ${column}.`);
  const key = `line.${keyName(source.key)}`;
  return source.keepsStored && kind.type === "state" ? `coalesce(${key}, ${storedValue(kind, column)})` : key;
}

function storedValue(kind: StateKind, column: string): string {
  const match = storedMatch(kind, (one) => columnValue(kind, one));
  return `(SELECT stored.${column} FROM ${tableName(kind)} AS stored WHERE ${match})`;
}

/** The condition on `stored` under which it is the record of a line. */
function storedMatch({ key }: StateKind, value: (column: string) => string): string {
  return key.map((column) => `stored.${column} = ${value(column)}`).join(" AND ");
}
