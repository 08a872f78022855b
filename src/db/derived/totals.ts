import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

/** Sums of events by some of their keys: an opening, of events that have left (docs/contract/history.md, 3), and the others. */
export interface Total {
  /** The kind of the events, and their table. */
  of: string;
  events: string;
  /** Which of them count; left out: all. */
  filter?: string;
  /** Where the total is stored: in rows of its own, or in columns of rows that are there anyway. */
  table: string;
  storedAs: "rows" | "columns";
  /** The keys of an event by which it is added up. A recount ranges over the first. */
  keys: readonly string[];
  /** What the table calls them; left out: the same. */
  storedKeys?: readonly string[];
  /** The columns of the total, and the expression on an event that each adds up. */
  measures: Readonly<Record<string, string>>;
  /** The table with a column such as `balance_opening` for each, and which of its rows are opened. */
  openings: { table: string; when: string };
}

/** The sum of a customer's balance entries at a store: a row wherever they have one, also if it adds up to nothing. */
export const STORE_BALANCES: Total = {
  of: "balance_entry",
  events: "balance_entries",
  table: "store_balances",
  storedAs: "rows",
  keys: ["customer_key", "store_key"],
  measures: { balance: "amount" },
  openings: { table: "store_balances", when: "balance_opening IS NOT NULL" },
};

/** The sum of all balance entries of a customer, also of an erased one. It opens with those at stores. */
export const CUSTOMER_BALANCES: Total = {
  ...STORE_BALANCES,
  table: "customers",
  storedAs: "columns",
  keys: ["customer_key"],
  storedKeys: ["key"],
};

/** What a campaign has earned at a store, its popularity there: an entry that takes away does not count. */
export const CAMPAIGN_EARNINGS: Total = {
  of: "balance_entry",
  events: "balance_entries",
  filter: "campaign_key IS NOT NULL AND amount > 0",
  table: "campaign_stores",
  storedAs: "rows",
  keys: ["store_key", "campaign_key"],
  measures: { earned: "amount" },
  openings: { table: "campaign_stores", when: "earned_opening > 0" },
};

/** The sums of an employee's plays at a location in a campaign. A play of nothing puts its employee on the board too. */
export const PLAY_TOTALS: Total = {
  of: "play",
  events: "plays",
  table: "play_totals",
  storedAs: "rows",
  keys: ["location_key", "eip_campaign_key", "employee_key"],
  measures: { runs: "runs", hits: "hits", doubles: "doubles", triples: "triples" },
  openings: { table: "play_totals", when: "runs_opening IS NOT NULL" },
};

export const LEVELS = [1, 2, 3, 4, 5] as const;

/** The tokens that a member earned at a store from each level of the own team. */
export const TEAM_TOKENS: Total = {
  of: "token_earning",
  events: "token_earnings",
  table: "memberships",
  storedAs: "columns",
  keys: ["store_key", "customer_key"],
  measures: Object.fromEntries(LEVELS.map((level) => [`tokens_${level}`, `tokens * (level_no = ${level})`])),
  openings: {
    table: "memberships",
    when: "(tokens_1_opening, tokens_2_opening, tokens_3_opening, tokens_4_opening, tokens_5_opening) <> (0, 0, 0, 0, 0)",
  },
};

/** Adds new events, which a `WITH` clause has by the name of their kind. Those of nothing make a row, but change none. */
export function addTo(total: Total): (withFresh: SQL) => SQL {
  const { of, table, storedAs, keys } = total;
  const columns = Object.keys(total.measures);
  const sums = sumsOf(total, of, sql`true`);
  if (storedAs === "columns") return (withFresh) => sql`${withFresh} ${updateBy(total, sums, (one) => one)}`;
  const sets = columns.map((one) => `${one} = ${one} + excluded.${one}`);
  const isSomething = `(${columns.map((one) => `excluded.${one}`)}) IS NOT (${columns.map(() => 0)})`;
  return (withFresh) => sql`${withFresh}
    INSERT INTO ${sql.raw(`${table} (${[...keys, ...columns]})`)} ${sums}
    ON CONFLICT ${sql.raw(`(${keys}) DO UPDATE SET ${sets} WHERE ${isSomething}`)}`;
}

/** Adds the events that leave, which meet a condition, to the openings. */
export function openTo(total: Total): (leave: SQL) => SQL {
  return (leave) => updateBy(total, sumsOf(total, total.events, leave), openingOf);
}

/** The column with the opening of a total. */
export function openingOf(column: string): string {
  return `${column}_opening`;
}

function sumsOf({ keys, measures, filter = "true" }: Total, from: string, where: SQL): SQL {
  const sums = Object.entries(measures).map(([column, value]) => `sum(${value}) AS ${column}`);
  return sql`SELECT ${sql.raw(`${[...keys, ...sums]} FROM ${from}`)} WHERE ${where} AND ${sql.raw(`${filter} GROUP BY ${keys}`)}`;
}

function updateBy({ table, keys, storedKeys = keys, measures }: Total, sums: SQL, toColumn: typeof openingOf): SQL {
  const sets = Object.keys(measures).map(
    (one) => `${toColumn(one)} = coalesce(${table}.${toColumn(one)}, 0) + new.${one}`,
  );
  const match = storedKeys.map((one, index) => `${table}.${one} = new.${keys[index]}`).join(" AND ");
  return sql`UPDATE ${sql.raw(`${table} SET ${sets}`)} FROM (${sums}) AS new WHERE ${sql.raw(match)}`;
}

/** What is recounted of a total: its openings, and the events that are stored. */
function recountOf(total: Total, rest: Pick<Derived, "name" | "over" | "absent" | "what">): Derived {
  const { of, events, filter = "true", table, storedAs, keys, storedKeys = keys, measures, openings } = total;
  const values = Object.keys(measures);
  const parts = Object.entries(measures).map(([column, value]) => `${value} AS ${column}`);
  const named = keys.map((key, index) => `${key} AS ${storedKeys[index]}`);
  return {
    ...rest,
    triggers: [],
    table,
    storedAs,
    key: storedKeys,
    values,
    expected: (range) => `
      SELECT ${[...named, ...values.map((one) => `${exactSum(one)} AS ${one}`)]}
      FROM (
        SELECT ${[...keys, ...parts]} FROM ${events} WHERE ${keys[0]} ${range} AND ${filter}
        UNION ALL
        SELECT ${[...keys, ...values.map(openingOf)]} FROM ${openings.table}
        WHERE ${keys[0]} ${range} AND ${openings.when} AND ${haveLeft(of)}
      )
      GROUP BY ${keys}`,
    stored: storedKeys[0] ?? "",
  };
}

export const customerBalances = /* @__PURE__ */ recountOf(CUSTOMER_BALANCES, {
  name: "customers' balances",
  over: "customers",
  absent: "0",
  what: [["customers", "key"]],
});

export const storeBalances = /* @__PURE__ */ recountOf(STORE_BALANCES, {
  name: "balances at stores",
  over: "customers",
  absent: "a difference",
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
});

export const campaignEarnings = /* @__PURE__ */ recountOf(CAMPAIGN_EARNINGS, {
  name: "what campaigns have earned",
  over: "stores",
  absent: "0",
  what: [
    ["campaigns", "campaign_key"],
    ["stores", "store_key"],
  ],
});

export const playTotals = /* @__PURE__ */ recountOf(PLAY_TOTALS, {
  name: "totals of plays",
  over: "stores",
  absent: "a difference",
  what: [
    ["stores", "location_key"],
    ["eip_campaigns", "eip_campaign_key"],
    ["employees", "employee_key"],
  ],
});

export const teamTokens = /* @__PURE__ */ recountOf(TEAM_TOKENS, {
  name: "tokens of teams",
  over: "stores",
  absent: "0",
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
});

/**
 * Whether any event of a kind may have left: SQLite looks once, and reads no openings where none has. A restore brings the
 * openings first, and the segments at its end.
 */
function haveLeft(kind: string): string {
  return `(
    EXISTS (SELECT 1 FROM history_segments WHERE kind = '${kind}') OR EXISTS (SELECT 1 FROM feed_version WHERE restorable = 1)
  )`;
}

/**
 * A sum whose parts may come to more than an integer holds, although the whole never does: one feeder's large amounts, and
 * back again, must not end the recount of everybody's totals.
 */
function exactSum(amount: string): string {
  return `((sum((${amount}) >> 32) << 32) + sum((${amount}) & 4294967295))`;
}
