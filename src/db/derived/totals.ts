import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

/** Sums of events by some of their keys, as derived data (index.ts says what the other properties are). */
interface Total extends Pick<Derived, "name" | "over" | "table" | "absent" | "storedAs"> {
  /** The kind of the events. */
  kind: string;
  /** The table of the events. */
  events: string;
  /** A condition on the events that count; left out: all do. */
  filter?: string;
  /** The keys of an event by which it is added up. A recount ranges over the first. */
  keys: readonly string[];
  /** The names of these keys in the table of the total; left out: the same. */
  storedKeys?: readonly string[];
  /** The columns of the total, each with the expression on an event that it adds up. */
  measures: Readonly<Record<string, string>>;
}

function derivedTotal(total: Total) {
  const { events, filter = "true", keys, storedKeys = keys, measures, kind, ...description } = total;
  const { table, storedAs } = description;
  const columns = Object.keys(measures);
  const keyColumns = keys.map((key, index) => `${key} AS ${storedKeys[index]}`);
  const sums = Object.entries(measures).map(([column, value]) => `sum(${value}) AS ${column}`);
  const sumOf = (from: string) => `SELECT ${[...keyColumns, ...sums]} FROM ${from} WHERE ${filter}`;
  const newSums = `${sumOf(kind)} GROUP BY ${keys}`;
  const isNotZero = `(${columns.map((column) => `excluded.${column}`)}) IS NOT (${columns.map(() => 0)})`;
  const upkeep =
    storedAs === "columns"
      ? `UPDATE ${table} SET ${columns.map((column) => `${column} = ${table}.${column} + new.${column}`)} FROM (${newSums}) AS new
        WHERE ${storedKeys.map((key) => `${table}.${key} = new.${key}`).join(" AND ")}`
      : `INSERT INTO ${table} (${[...keys, ...columns]}) ${newSums}
        ON CONFLICT (${keys}) DO UPDATE SET ${columns.map((column) => `${column} = ${column} + excluded.${column}`)}
        WHERE ${isNotZero}`;
  return {
    ...description,
    key: storedKeys,
    values: columns,
    expected: (range: string) => `${sumOf(events)} AND ${keys[0]} ${range} GROUP BY ${keys}`,
    /**
     * Adds new events to the total. `withFresh` is a `WITH` clause that has the new events under the name of their kind. Events
     * with amounts of 0 may insert a row, but never change one.
     */
    addTo: (withFresh: SQL) => sql`${withFresh} ${sql.raw(upkeep)}`,
  };
}

// `filter` leaves out summaries of campaigns' earnings, which have no customer (docs/contract/retention.md, 2).
const BALANCES = {
  kind: "balance_entry",
  events: "balance_entries",
  filter: "customer_key IS NOT NULL",
  measures: { balance: "amount" },
  over: "customers",
} as const;

/** The sum of all balance entries of a customer, erased or not. */
export const customerBalances = derivedTotal({
  ...BALANCES,
  name: "customers' balances",
  table: "customers",
  storedAs: "columns",
  keys: ["customer_key"],
  storedKeys: ["key"],
});

/** The sum of a customer's balance entries at a store. There is a row wherever there is an entry, even if the sum is 0. */
export const storeBalances = derivedTotal({
  ...BALANCES,
  name: "balances at stores",
  table: "store_balances",
  storedAs: "rows",
  keys: ["customer_key", "store_key"],
  absent: "a difference",
});

/** What a campaign has earned at a store, which is its popularity there. Negative entries do not count. */
export const campaignEarnings = derivedTotal({
  name: "what campaigns have earned",
  kind: "balance_entry",
  events: "balance_entries",
  filter: "campaign_key IS NOT NULL AND amount > 0",
  table: "campaign_stores",
  storedAs: "rows",
  keys: ["store_key", "campaign_key"],
  measures: { earned: "amount" },
  over: "stores",
});

/** The sums of an employee's plays at a location in a campaign. Even a play without counts puts the employee on the board. */
export const playTotals = derivedTotal({
  name: "totals of plays",
  kind: "play",
  events: "plays",
  table: "play_totals",
  storedAs: "rows",
  keys: ["location_key", "eip_campaign_key", "employee_key"],
  measures: { runs: "runs", hits: "hits", doubles: "doubles", triples: "triples" },
  over: "stores",
  absent: "a difference",
});

export const LEVELS = [1, 2, 3, 4, 5] as const;

/** The tokens that a member earned at a store from each level of their team. */
export const teamTokens = derivedTotal({
  name: "tokens of teams",
  kind: "token_earning",
  events: "token_earnings",
  table: "memberships",
  storedAs: "columns",
  keys: ["store_key", "customer_key"],
  measures: Object.fromEntries(LEVELS.map((level) => [`tokens_${level}`, `tokens * (level_no = ${level})`])),
  over: "stores",
});
