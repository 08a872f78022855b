import { type AnyColumn, and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { identifiers, joinWithCommas, selectList } from "../select.ts";

type ColumnOf<Table extends SQLiteTable> = keyof Table["_"]["columns"] & string;

/** Sums of events by some of their keys. */
interface Definition<Table extends SQLiteTable> {
  events: { record: string; table: SQLiteTable };
  /** A condition on the events that count; left out: all do. */
  filter?: SQL | undefined;
  /** The table of the total, and whether it has rows of its own there, or columns of stored rows. */
  table: Table;
  storedAs: "columns" | "rows";
  /** True: it may be greater than an integer that is exact in JavaScript, because it adds up several accounts. */
  isUnlimited?: true;
  /** The columns that identify a row of it, each with the key of an event. */
  keys: { readonly [Name in ColumnOf<Table>]?: AnyColumn };
  /** The columns with sums, each with the expression on an event that it adds up. */
  measures: { readonly [Name in ColumnOf<Table>]?: SQLWrapper };
}

/** A total that the feed keeps. */
export interface Total extends Pick<Definition<SQLiteTable>, "events" | "table" | "storedAs" | "isUnlimited"> {
  keys: Readonly<Record<string, AnyColumn>>;
  measures: Readonly<Record<string, SQLWrapper>>;
  /** A query for the sums of the events of a relation; `where`: only of those that fulfil this condition. */
  selectSums(from: SQL, where?: SQL): SQL;
  /**
   * Adds new events to the total. `withFresh` is a `WITH` clause that has the new events under the name of their kind. Events
   * with amounts of 0 may insert a row, but never change one.
   */
  addTo(withFresh: SQL): SQL;
}

export function derivedTotal<Table extends SQLiteTable>(definition: Definition<Table>): Total {
  const { events, filter, table, storedAs, isUnlimited } = definition;
  // Whoever makes a total has named columns of its table. Here they are any names.
  const keys = definition.keys as Total["keys"];
  const measures = definition.measures as Total["measures"];
  const sums = Object.entries(measures).map(([name, value]) => [name, sql`sum(${value})`]);
  const list = selectList({ ...keys, ...Object.fromEntries(sums) });
  const selectSums = (from: SQL, where?: SQL) =>
    sql`SELECT ${list} FROM ${from} WHERE ${and(filter, where) ?? sql`true`} GROUP BY ${joinWithCommas(Object.values(keys))}`;
  const written = { table, keys: Object.keys(keys), columns: Object.keys(measures) };
  const newSums = selectSums(sql`${sql.identifier(events.record)} AS ${events.table}`);
  const upkeep = storedAs === "columns" ? addToColumns(written, newSums) : addToRows(written, newSums);
  const addTo = (withFresh: SQL) => sql`${withFresh} ${upkeep}`;
  return { events, table, storedAs, ...(isUnlimited && { isUnlimited }), keys, measures, selectSums, addTo };
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
  const sums = columns.map((name) => sql`${sql.identifier(name)} = ${columnOf(table, name)} + ${columnOf(from, name)}`);
  return joinWithCommas(sums);
}

function columnOf(row: SQLiteTable | string, name: string): SQL {
  return sql`${typeof row === "string" ? sql.identifier(row) : row}.${sql.identifier(name)}`;
}
