import { type SQL, sql } from "drizzle-orm";

/** Sums of events by some of their keys, stored where they are read: derived data (index.ts). */
interface Total {
  name: string;
  over: "stores" | "customers";
  table: string;
  absent: "0" | "a difference";
  /** The kind of the events, and their table. */
  of: string;
  events: string;
  /** A condition on the events that count; left out: all do. */
  filter?: string;
  storedAs: "rows" | "columns";
  /** The keys of an event by which it is added up. A recount ranges over the first. */
  keys: readonly string[];
  /** Their names in the total's table; left out: the same. */
  storedKeys?: readonly string[];
  /** The columns of the total, and the expression on an event that each adds up. */
  measures: Readonly<Record<string, string>>;
}

/** The upkeep and the recount of a total. */
function derivedTotal(total: Total) {
  const { name, over, table, absent, of, events, filter = "true", storedAs, keys, storedKeys = keys, measures } = total;
  const columns = Object.keys(measures);
  const named = keys.map((key, index) => `${key} AS ${storedKeys[index]}`);
  const sums = Object.entries(measures).map(([column, value]) => `sum(${value}) AS ${column}`);
  const sumOf = (from: string) => `SELECT ${[...named, ...sums]} FROM ${from} WHERE ${filter}`;
  const fresh = `${sumOf(of)} GROUP BY ${keys}`;
  const isSomething = `(${columns.map((one) => `excluded.${one}`)}) IS NOT (${columns.map(() => 0)})`;
  const upkeep =
    storedAs === "columns"
      ? `UPDATE ${table} SET ${columns.map((one) => `${one} = ${table}.${one} + new.${one}`)} FROM (${fresh}) AS new
        WHERE ${storedKeys.map((one) => `${table}.${one} = new.${one}`).join(" AND ")}`
      : `INSERT INTO ${table} (${[...keys, ...columns]}) ${fresh}
        ON CONFLICT (${keys}) DO UPDATE SET ${columns.map((one) => `${one} = ${one} + excluded.${one}`)} WHERE ${isSomething}`;
  return {
    ...{ name, over, table, absent, storedAs },
    key: storedKeys,
    values: columns,
    expected: (range: string) => `${sumOf(events)} AND ${keys[0]} ${range} GROUP BY ${keys}`,
    stored: storedKeys[0] ?? "",
    /** Adds new events, which a `WITH` clause has by the name of their kind. Events of nothing make a row, but change none. */
    addTo: (withFresh: SQL) => sql`${withFresh} ${sql.raw(upkeep)}`,
  };
}

// A summary of a campaign's earnings has no customer (docs/contract/history.md, 3).
const BALANCES = {
  of: "balance_entry",
  events: "balance_entries",
  filter: "customer_key IS NOT NULL",
  measures: { balance: "amount" },
  over: "customers",
} as const;

/** The sum of all balance entries of a customer, also of an erased one. */
export const customerBalances = derivedTotal({
  ...BALANCES,
  name: "customers' balances",
  table: "customers",
  storedAs: "columns",
  keys: ["customer_key"],
  storedKeys: ["key"],
  absent: "0",
});

/** The sum of a customer's balance entries at a store: a row wherever they have an entry, even if it is 0. */
export const storeBalances = derivedTotal({
  ...BALANCES,
  name: "balances at stores",
  table: "store_balances",
  storedAs: "rows",
  keys: ["customer_key", "store_key"],
  absent: "a difference",
});

/** What a campaign has earned at a store, its popularity there: negative entries do not count. */
export const campaignEarnings = derivedTotal({
  name: "what campaigns have earned",
  of: "balance_entry",
  events: "balance_entries",
  filter: "campaign_key IS NOT NULL AND amount > 0",
  table: "campaign_stores",
  storedAs: "rows",
  keys: ["store_key", "campaign_key"],
  measures: { earned: "amount" },
  over: "stores",
  absent: "0",
});

/** The sums of an employee's plays at a location in a campaign. A play without counts puts its employee on the board, too. */
export const playTotals = derivedTotal({
  name: "totals of plays",
  of: "play",
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
  of: "token_earning",
  events: "token_earnings",
  table: "memberships",
  storedAs: "columns",
  keys: ["store_key", "customer_key"],
  measures: Object.fromEntries(LEVELS.map((level) => [`tokens_${level}`, `tokens * (level_no = ${level})`])),
  over: "stores",
  absent: "0",
});
