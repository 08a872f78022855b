import { type AnyColumn, and, getTableName, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { identifiers, joinWithCommas, selectList } from "../select.ts";
import * as tables from "../tables.ts";
import type { Derived, KeyRange } from "./derived.ts";

type ColumnOf<Table extends SQLiteTable> = keyof Table["_"]["columns"] & string;

/** Sums of events by some of their keys, as derived data (index.ts says what the other properties are). */
interface Total<Table extends SQLiteTable> extends Pick<Derived, "name" | "over" | "absent" | "storedAs"> {
  /** The kind of the events. */
  kind: string;
  events: SQLiteTable;
  /** A condition on the events that count; left out: all do. */
  filter?: SQL | undefined;
  /** The table of the total. */
  table: Table;
  /** The columns that identify a row of it, each with the key of an event. A recount ranges over the first. */
  keys: { readonly [Name in ColumnOf<Table>]?: AnyColumn };
  /** The columns with sums, each with the expression on an event that it adds up. */
  measures: { readonly [Name in ColumnOf<Table>]?: SQLWrapper };
}

function derivedTotal<Table extends SQLiteTable>(total: Total<Table>) {
  const { events, filter = sql`true`, kind, table, keys: keyColumns, measures: sumColumns, ...description } = total;
  // Whoever makes a total has named columns of its table. Here they are any names.
  const keys = keyColumns as Readonly<Record<string, AnyColumn>>;
  const measures = sumColumns as Readonly<Record<string, SQLWrapper>>;
  const sums = Object.entries(measures).map(([name, value]) => [name, sql`sum(${value})`]);
  const list = selectList({ ...keys, ...Object.fromEntries(sums) });
  const sumOf = (from: SQL, where: SQL) =>
    sql`SELECT ${list} FROM ${from} WHERE ${where} GROUP BY ${joinWithCommas(Object.values(keys))}`;
  const written = { table, keys: Object.keys(keys), columns: Object.keys(measures) };
  const newSums = sumOf(sql`${sql.identifier(kind)} AS ${events}`, filter);
  const upkeep = description.storedAs === "columns" ? addToColumns(written, newSums) : addToRows(written, newSums);
  const [firstKey] = Object.values(keys);
  return {
    ...description,
    table: getTableName(table),
    key: written.keys,
    values: written.columns,
    expected: (range: KeyRange) => sumOf(sql`${events}`, sql`${filter} AND ${firstKey} ${range}`),
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

const { balanceEntries, plays, tokenEarnings } = tables;

// `filter` leaves out summaries of campaigns' earnings, which have no customer (docs/contract/retention.md, 2).
const BALANCES = {
  kind: "balance_entry",
  events: balanceEntries,
  filter: isNotNull(balanceEntries.customer_key),
  measures: { balance: balanceEntries.amount },
  over: "customers",
} as const;

/** The sum of all balance entries of a customer, erased or not. */
export const customerBalances = derivedTotal({
  ...BALANCES,
  name: "customers' balances",
  table: tables.customers,
  storedAs: "columns",
  keys: { key: balanceEntries.customer_key },
});

/** The sum of a customer's balance entries at a store. There is a row wherever there is an entry, even if the sum is 0. */
export const storeBalances = derivedTotal({
  ...BALANCES,
  name: "balances at stores",
  table: tables.storeBalances,
  storedAs: "rows",
  keys: { customer_key: balanceEntries.customer_key, store_key: balanceEntries.store_key },
  absent: "a difference",
});

/** What a campaign has earned at a store, which is its popularity there. Negative entries do not count. */
export const campaignEarnings = derivedTotal({
  name: "what campaigns have earned",
  kind: "balance_entry",
  events: balanceEntries,
  filter: and(isNotNull(balanceEntries.campaign_key), sql`${balanceEntries.amount} > 0`),
  table: tables.campaignStores,
  storedAs: "rows",
  keys: { store_key: balanceEntries.store_key, campaign_key: balanceEntries.campaign_key },
  measures: { earned: balanceEntries.amount },
  over: "stores",
});

/** The sums of an employee's plays at a location in a campaign. Even a play without counts puts the employee on the board. */
export const playTotals = derivedTotal({
  name: "totals of plays",
  kind: "play",
  events: plays,
  table: tables.playTotals,
  storedAs: "rows",
  keys: {
    location_key: plays.location_key,
    eip_campaign_key: plays.eip_campaign_key,
    employee_key: plays.employee_key,
  },
  measures: { runs: plays.runs, hits: plays.hits, doubles: plays.doubles, triples: plays.triples },
  over: "stores",
  absent: "a difference",
});

export const LEVELS = [1, 2, 3, 4, 5] as const;

/** The tokens that a member earned at a store from each level of their team. */
export const teamTokens = derivedTotal({
  name: "tokens of teams",
  kind: "token_earning",
  events: tokenEarnings,
  table: tables.memberships,
  storedAs: "columns",
  keys: { store_key: tokenEarnings.store_key, customer_key: tokenEarnings.customer_key },
  measures: Object.fromEntries(
    LEVELS.map((level) => [
      `tokens_${level}`,
      sql`${tokenEarnings.tokens} * (${tokenEarnings.level_no} = ${sql.raw(String(level))})`,
    ]),
  ),
  over: "stores",
});
