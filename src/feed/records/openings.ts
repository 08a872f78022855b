import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  CAMPAIGN_EARNINGS,
  openingOf,
  PLAY_TOTALS,
  STORE_BALANCES,
  TEAM_TOKENS,
  type Total,
} from "../../db/derived/totals.ts";
import { campaignStores, memberships, playTotals, storeBalances } from "../../db/tables/index.ts";
import { Id } from "../../values/text.ts";
import { EarnedHundredths, TotalCount, TotalHundredths } from "../../values/total.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import { definePartOfRow } from "./define-kind.ts";
import { EIP_CAMPAIGNS } from "./eip-campaign.ts";
import { EMPLOYEES } from "./employee.ts";
import { notMember, ofAnotherAccount } from "./faults.ts";
import type { Way } from "./kind.ts";
import { STORES } from "./store.ts";

// What events have added to a total that are no longer in the database (docs/contract/history.md, 3). Only a restore says
// it. Said twice it counts once, because a restore may be sent again.

/** What sealed entries have added to a customer's balance at a store, and so to the customer's. */
export const balanceOpening = definePartOfRow(storeBalances, {
  record: "balance_opening",
  fields: z.object({ customer_id: Id, store_id: Id, amount: TotalHundredths }),
  keyFields: ["customer_id", "store_id"],
  isPermanent: true,
  columns: { balance_opening: { field: "amount" } },
  hundredths: ["amount"],
  ways: [wayOf(STORE_BALANCES)],
  references: { customer_id: CUSTOMERS, store_id: STORES },
  uses: ["amount"],
  write: (lines) => [
    sql`
      UPDATE customers SET balance = balance + new.amount
      FROM (
        SELECT line.customer_key, sum(line.amount - coalesce(stored.balance_opening, 0)) AS amount
        FROM ${lines} AS line
        LEFT JOIN store_balances AS stored
          ON stored.customer_key = line.customer_key AND stored.store_key = line.store_key
        GROUP BY line.customer_key
      ) AS new
      WHERE customers.key = new.customer_key AND new.amount <> 0`,
    putOpenings(lines, STORE_BALANCES, ["amount"]),
  ],
});

/** What sealed entries have added to what a campaign has earned at a store. */
export const earnedOpening = definePartOfRow(campaignStores, {
  record: "earned_opening",
  fields: z.object({ store_id: Id, campaign_id: Id, earned: EarnedHundredths }),
  keyFields: ["store_id", "campaign_id"],
  isPermanent: true,
  columns: { earned_opening: { field: "earned" } },
  hundredths: ["earned"],
  ways: [wayOf(CAMPAIGN_EARNINGS)],
  references: { store_id: STORES, campaign_id: CAMPAIGNS },
  uses: ["earned"],
  faults: [ofAnotherAccount("campaign_id", "a campaign", CAMPAIGNS)],
  write: (lines) => [putOpenings(lines, CAMPAIGN_EARNINGS)],
});

const TOKENS = ["tokens_1", "tokens_2", "tokens_3", "tokens_4", "tokens_5"] as const;

/** What sealed earnings have added to a member's tokens of each level. */
export const tokenOpening = definePartOfRow(memberships, {
  record: "token_opening",
  fields: z.object({
    store_id: Id,
    customer_id: Id,
    tokens_1: TotalHundredths,
    tokens_2: TotalHundredths,
    tokens_3: TotalHundredths,
    tokens_4: TotalHundredths,
    tokens_5: TotalHundredths,
  }),
  keyFields: ["store_id", "customer_id"],
  isPermanent: true,
  columns: {
    tokens_1_opening: { field: "tokens_1" },
    tokens_2_opening: { field: "tokens_2" },
    tokens_3_opening: { field: "tokens_3" },
    tokens_4_opening: { field: "tokens_4" },
    tokens_5_opening: { field: "tokens_5" },
  },
  hundredths: TOKENS,
  ways: [wayOf(TEAM_TOKENS)],
  references: { store_id: STORES, customer_id: CUSTOMERS },
  uses: TOKENS,
  faults: [notMember("memberships", "store_key", "must be a member of the store")],
  write: (lines) => {
    const sets = TOKENS.flatMap((tokens) => [
      `${tokens} = memberships.${tokens} + line.${tokens} - ${tokens}_opening`,
      `${tokens}_opening = line.${tokens}`,
    ]);
    return [
      sql`UPDATE memberships SET ${sql.raw(sets.join(", "))} FROM ${lines} AS line
        WHERE memberships.store_key = line.store_key AND memberships.customer_key = line.customer_key`,
    ];
  },
});

const MEASURES = ["runs", "hits", "doubles", "triples"] as const;

/** What sealed plays have added to an employee's totals at a location in a campaign. */
export const playOpening = definePartOfRow(playTotals, {
  record: "play_opening",
  fields: z.object({
    eip_campaign_id: Id,
    location_id: Id,
    employee_id: Id,
    runs: TotalHundredths,
    hits: TotalCount,
    doubles: TotalCount,
    triples: TotalCount,
  }),
  keyFields: ["eip_campaign_id", "location_id", "employee_id"],
  isPermanent: true,
  columns: {
    runs_opening: { field: "runs" },
    hits_opening: { field: "hits" },
    doubles_opening: { field: "doubles" },
    triples_opening: { field: "triples" },
  },
  hundredths: ["runs"],
  ways: [wayOf(PLAY_TOTALS)],
  references: { eip_campaign_id: EIP_CAMPAIGNS, location_id: STORES, employee_id: EMPLOYEES },
  uses: MEASURES,
  faults: [
    ofAnotherAccount("eip_campaign_id", "a campaign", EIP_CAMPAIGNS, "location_key"),
    ofAnotherAccount("employee_id", "an employee", EMPLOYEES, "location_key"),
  ],
  write: (lines) => [putOpenings(lines, PLAY_TOTALS)],
});

/** Where no event of the kind has left there is no opening, and the table is not read. */
function wayOf({ of, openings }: Total): Way {
  return { when: `EXISTS (SELECT 1 FROM history_segments WHERE kind = '${of}')`, leftOut: `NOT (${openings.when})` };
}

/** Puts openings in the place of those that are stored, and moves the totals by the difference. */
function putOpenings(lines: SQL, { table, keys, measures }: Total, fields = Object.keys(measures)): SQL {
  const totals = Object.keys(measures);
  const openings = totals.map(openingOf);
  const sets = totals.flatMap((total) => [
    `${total} = ${table}.${total} + excluded.${openingOf(total)} - coalesce(${table}.${openingOf(total)}, 0)`,
    `${openingOf(total)} = excluded.${openingOf(total)}`,
  ]);
  const isAnother = `(${openings.map((name) => `${table}.${name}`)}) IS NOT (${openings.map((name) => `excluded.${name}`)})`;
  return sql`
    INSERT INTO ${sql.raw(`${table} (${[...keys, ...totals, ...openings]}) SELECT ${[...keys, ...fields, ...fields]}`)}
    FROM ${lines} AS line WHERE true
    ON CONFLICT ${sql.raw(`(${keys}) DO UPDATE SET ${sets} WHERE ${isAnother}`)}`;
}
