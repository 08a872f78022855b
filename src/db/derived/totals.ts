import { type SQL, sql } from "drizzle-orm";
import type { Derived, KeyRange } from "./derived.ts";

// The totals of events. The feed adds what new events change: there `withFresh` is a `WITH` clause that has them, by the name
// of their kind. Sealing adds those that leave the database to the openings (docs/contract/history.md, 3): there `leave` is
// the condition that they meet. A total is its opening and what is stored.

/** The sum of all balance entries of a customer, also of an erased one. It opens with those at stores. */
export const customerBalances: Derived = {
  name: "customers' balances",
  triggers: [],
  over: "customers",
  table: "customers",
  storedAs: "columns",
  absent: "0",
  key: ["key"],
  values: ["balance"],
  expected: (range) => `
    SELECT customer_key AS key, ${exactSum("amount")} AS balance
    FROM (${balanceParts(range)}) GROUP BY customer_key`,
  stored: "key",
  what: [["customers", "key"]],
};

export function addToCustomerBalances(withFresh: SQL): SQL {
  return sql`${withFresh}
    UPDATE customers SET balance = balance + new.amount
    FROM (SELECT customer_key, sum(amount) AS amount FROM balance_entry GROUP BY customer_key) AS new
    WHERE customers.key = new.customer_key`;
}

/** The sum of a customer's balance entries at a store: a row wherever they have one, also if it adds up to nothing. */
export const storeBalances: Derived = {
  name: "balances at stores",
  triggers: [],
  over: "customers",
  table: "store_balances",
  storedAs: "rows",
  absent: "a difference",
  key: ["customer_key", "store_key"],
  values: ["balance"],
  expected: (range) => `
    SELECT customer_key, store_key, ${exactSum("amount")} AS balance
    FROM (${balanceParts(range)}) GROUP BY customer_key, store_key`,
  stored: "customer_key",
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};

function balanceParts(range: KeyRange): string {
  return `
    SELECT customer_key, store_key, amount FROM balance_entries WHERE customer_key ${range}
    UNION ALL
    SELECT customer_key, store_key, balance_opening FROM store_balances
    WHERE customer_key ${range} AND balance_opening IS NOT NULL AND ${haveLeft("balance_entry")}`;
}

export function openStoreBalances(leave: SQL): SQL {
  return sql`
    UPDATE store_balances SET balance_opening = coalesce(balance_opening, 0) + leaving.amount
    FROM (
      SELECT customer_key, store_key, sum(amount) AS amount FROM balance_entries WHERE ${leave}
      GROUP BY customer_key, store_key
    ) AS leaving
    WHERE store_balances.customer_key = leaving.customer_key AND store_balances.store_key = leaving.store_key`;
}

export function addToStoreBalances(withFresh: SQL): SQL {
  return sql`${withFresh}
    INSERT INTO store_balances (store_key, customer_key, balance)
    SELECT store_key, customer_key, sum(amount) FROM balance_entry WHERE true GROUP BY store_key, customer_key
    ON CONFLICT (customer_key, store_key) DO UPDATE SET balance = balance + excluded.balance`;
}

/** What a campaign has earned at a store, its popularity there: an entry that takes away does not count. */
export const campaignEarnings: Derived = {
  name: "what campaigns have earned",
  triggers: [],
  over: "stores",
  table: "campaign_stores",
  storedAs: "rows",
  absent: "0",
  key: ["store_key", "campaign_key"],
  values: ["earned"],
  expected: (range) => `
    SELECT store_key, campaign_key, sum(amount) AS earned
    FROM (
      SELECT store_key, campaign_key, amount FROM balance_entries
      WHERE store_key ${range} AND campaign_key IS NOT NULL AND amount > 0
      UNION ALL
      SELECT store_key, campaign_key, earned_opening FROM campaign_stores
      WHERE store_key ${range} AND earned_opening > 0 AND ${haveLeft("balance_entry")}
    )
    GROUP BY store_key, campaign_key`,
  stored: "store_key",
  what: [
    ["campaigns", "campaign_key"],
    ["stores", "store_key"],
  ],
};

export function addToCampaignEarnings(withFresh: SQL): SQL {
  return sql`${withFresh}
    INSERT INTO campaign_stores (store_key, campaign_key, earned)
    SELECT store_key, campaign_key, sum(amount) FROM balance_entry
    WHERE campaign_key IS NOT NULL AND amount > 0 GROUP BY store_key, campaign_key
    ON CONFLICT (store_key, campaign_key) DO UPDATE SET earned = earned + excluded.earned`;
}

export function openCampaignEarnings(leave: SQL): SQL {
  return sql`
    UPDATE campaign_stores SET earned_opening = earned_opening + leaving.amount
    FROM (
      SELECT store_key, campaign_key, sum(amount) AS amount FROM balance_entries
      WHERE ${leave} AND campaign_key IS NOT NULL AND amount > 0 GROUP BY store_key, campaign_key
    ) AS leaving
    WHERE campaign_stores.store_key = leaving.store_key AND campaign_stores.campaign_key = leaving.campaign_key`;
}

/** The sums of an employee's plays at a location in a campaign. A play of nothing puts its employee on the board too. */
export const playTotals: Derived = {
  name: "totals of plays",
  triggers: [],
  over: "stores",
  table: "play_totals",
  storedAs: "rows",
  absent: "a difference",
  key: ["location_key", "eip_campaign_key", "employee_key"],
  values: ["runs", "hits", "doubles", "triples"],
  expected: (range) => `
    SELECT location_key, eip_campaign_key, employee_key, ${exactSum("runs")} AS runs, ${exactSum("hits")} AS hits,
      ${exactSum("doubles")} AS doubles, ${exactSum("triples")} AS triples
    FROM (
      SELECT location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples
      FROM plays WHERE location_key ${range}
      UNION ALL
      SELECT location_key, eip_campaign_key, employee_key, runs_opening, hits_opening, doubles_opening, triples_opening
      FROM play_totals WHERE location_key ${range} AND runs_opening IS NOT NULL AND ${haveLeft("play")}
    )
    GROUP BY location_key, eip_campaign_key, employee_key`,
  stored: "location_key",
  what: [
    ["stores", "location_key"],
    ["eip_campaigns", "eip_campaign_key"],
    ["employees", "employee_key"],
  ],
};

/** A play of nothing makes a row, but changes none. */
export function addToPlayTotals(withFresh: SQL): SQL {
  return sql`${withFresh}
    INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
    SELECT location_key, eip_campaign_key, employee_key, sum(runs), sum(hits), sum(doubles), sum(triples)
    FROM play WHERE true GROUP BY location_key, eip_campaign_key, employee_key
    ON CONFLICT (location_key, eip_campaign_key, employee_key) DO UPDATE SET
      runs = runs + excluded.runs, hits = hits + excluded.hits,
      doubles = doubles + excluded.doubles, triples = triples + excluded.triples
    WHERE (excluded.runs, excluded.hits, excluded.doubles, excluded.triples) IS NOT (0, 0, 0, 0)`;
}

export function openPlayTotals(leave: SQL): SQL {
  return sql`
    UPDATE play_totals SET
      runs_opening = coalesce(runs_opening, 0) + leaving.runs,
      hits_opening = coalesce(hits_opening, 0) + leaving.hits,
      doubles_opening = coalesce(doubles_opening, 0) + leaving.doubles,
      triples_opening = coalesce(triples_opening, 0) + leaving.triples
    FROM (
      SELECT location_key, eip_campaign_key, employee_key,
        sum(runs) AS runs, sum(hits) AS hits, sum(doubles) AS doubles, sum(triples) AS triples
      FROM plays WHERE ${leave} GROUP BY location_key, eip_campaign_key, employee_key
    ) AS leaving
    WHERE play_totals.location_key = leaving.location_key AND play_totals.eip_campaign_key = leaving.eip_campaign_key
      AND play_totals.employee_key = leaving.employee_key`;
}

export const LEVELS = [1, 2, 3, 4, 5] as const;

/** The tokens that a member earned at a store from each level of the own team. */
export const teamTokens: Derived = {
  name: "tokens of teams",
  triggers: [],
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
  values: ["tokens_1", "tokens_2", "tokens_3", "tokens_4", "tokens_5"],
  expected: (range) => `
    SELECT store_key, customer_key, ${LEVELS.map((level) => `${exactSum(`level_${level}`)} AS tokens_${level}`).join(", ")}
    FROM (
      SELECT store_key, customer_key,
        ${LEVELS.map((level) => `tokens * (level_no = ${level}) AS level_${level}`).join(", ")}
      FROM token_earnings WHERE store_key ${range}
      UNION ALL
      SELECT store_key, customer_key, ${LEVELS.map((level) => `tokens_${level}_opening`).join(", ")}
      FROM memberships WHERE store_key ${range} AND (${LEVELS.map((level) => `tokens_${level}_opening`).join(", ")}) <> (0, 0, 0, 0, 0)
        AND ${haveLeft("token_earning")}
    )
    GROUP BY store_key, customer_key`,
  stored: "store_key",
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};

const TOKENS_OF_LEVELS = LEVELS.map((level) => `sum(tokens * (level_no = ${level})) AS tokens_${level}`).join(", ");

export function openTeamTokens(leave: SQL): SQL {
  const added = LEVELS.map((level) => `tokens_${level}_opening = tokens_${level}_opening + leaving.tokens_${level}`);
  return sql`
    UPDATE memberships SET ${sql.raw(added.join(", "))}
    FROM (
      SELECT store_key, customer_key, ${sql.raw(TOKENS_OF_LEVELS)} FROM token_earnings WHERE ${leave}
      GROUP BY store_key, customer_key
    ) AS leaving
    WHERE memberships.store_key = leaving.store_key AND memberships.customer_key = leaving.customer_key`;
}

export function addToTeamTokens(withFresh: SQL): SQL {
  const added = LEVELS.map((level) => `tokens_${level} = memberships.tokens_${level} + earned.tokens_${level}`);
  return sql`${withFresh}
    UPDATE memberships SET ${sql.raw(added.join(", "))}
    FROM (
      SELECT store_key, customer_key, ${sql.raw(TOKENS_OF_LEVELS)} FROM token_earning GROUP BY store_key, customer_key
    ) AS earned
    WHERE memberships.store_key = earned.store_key AND memberships.customer_key = earned.customer_key`;
}

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
