import { type AnyColumn, and, getTableName, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Kind } from "../kind.ts";
import { identifiers, joinWithCommas, selectList } from "../select.ts";
import type { Derived, KeyRange } from "./derived.ts";

type ColumnOf<Table extends SQLiteTable> = keyof Table["_"]["columns"] & string;

/** Sums of events by some of their keys, as derived data (derived.ts says what the other properties are). */
interface Total<Table extends SQLiteTable> extends Pick<Derived, "name" | "over" | "absent" | "storedAs"> {
  events: Pick<Kind, "record" | "table">;
  /** A condition on the events that count; left out: all do. */
  filter?: SQL | undefined;
  /** The table of the total. */
  table: Table;
  /** The columns that identify a row of it, each with the key of an event. A recount ranges over the first. */
  keys: { readonly [Name in ColumnOf<Table>]?: AnyColumn };
  /** The columns with sums, each with the expression on an event that it adds up. */
  measures: { readonly [Name in ColumnOf<Table>]?: SQLWrapper };
}

export function derivedTotal<Table extends SQLiteTable>(total: Total<Table>) {
  const { events, filter = sql`true`, table, keys: keyColumns, measures: sumColumns, ...description } = total;
  // Whoever makes a total has named columns of its table. Here they are any names.
  const keys = keyColumns as Readonly<Record<string, AnyColumn>>;
  const measures = sumColumns as Readonly<Record<string, SQLWrapper>>;
  const sums = Object.entries(measures).map(([name, value]) => [name, sql`sum(${value})`]);
  const list = selectList({ ...keys, ...Object.fromEntries(sums) });
  const sumOf = (from: SQL, where: SQL) =>
    sql`SELECT ${list} FROM ${from} WHERE ${where} GROUP BY ${joinWithCommas(Object.values(keys))}`;
  const written = { table, keys: Object.keys(keys), columns: Object.keys(measures) };
  const newSums = sumOf(sql`${sql.identifier(events.record)} AS ${events.table}`, filter);
  const upkeep = description.storedAs === "columns" ? addToColumns(written, newSums) : addToRows(written, newSums);
  const [firstKey] = Object.values(keys);
  return {
    ...description,
    table: getTableName(table),
    key: written.keys,
    values: written.columns,
    expected: (range: KeyRange) => sumOf(sql`${events.table}`, sql`${filter} AND ${firstKey} ${range}`),
    /**
     * Adds new events to the total. `withFresh` is a `WITH` clause that has the new events under the name of their kind. Events
     * with amounts of 0 may insert a row, but never change one.
     */
    addTo: (withFresh: SQL) => sql`${withFresh} ${upkeep}`,
  };
}

interface Written {
  table: SQLiteTable;
  keys: readonly string[];
  columns: readonly string[];
}

function addToColumns({ table, keys, columns }: Written, newSums: SQL): SQL {
  const isSameRow = keys.map((name) => sql`${columnOf(table, name)} = ${columnOf("new", name)}`);
  return sql`UPDATE ${table} SET ${added("new", { table, columns })} FROM (${newSums}) AS new WHERE ${and(...isSameRow)}`;
}

function addToRows({ table, keys, columns }: Written, newSums: SQL): SQL {
  const newValues = joinWithCommas(columns.map((name) => columnOf("excluded", name)));
  const zeros = joinWithCommas(columns.map(() => sql`0`));
  return sql`INSERT INTO ${table} (${identifiers([...keys, ...columns])}) ${newSums}
    ON CONFLICT (${identifiers(keys)}) DO UPDATE SET ${added("excluded", { table, columns })}
    WHERE (${newValues}) IS NOT (${zeros})`;
}

/** What follows `SET`: the sums of another row are added to those of the table. */
function added(from: string, { table, columns }: Pick<Written, "table" | "columns">): SQL {
  const values = columns.map(
    (name) => sql`${sql.identifier(name)} = ${columnOf(table, name)} + ${columnOf(from, name)}`,
  );
  return joinWithCommas(values);
}

function columnOf(row: SQLiteTable | string, name: string): SQL {
  return sql`${typeof row === "string" ? sql.identifier(row) : row}.${sql.identifier(name)}`;
}
