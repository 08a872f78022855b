import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { LEVELS } from "../../db/derived/totals.ts";
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
  columns: { balance_opening: "amount" },
  hundredths: ["amount"],
  ways: [wayOf("balance_entry", "store_balances.balance_opening IS NULL")],
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
    putOpenings(lines, {
      table: "store_balances",
      key: ["customer_key", "store_key"],
      openings: [{ total: "balance", opening: "balance_opening", field: "amount" }],
    }),
  ],
});

/** What sealed entries have added to what a campaign has earned at a store. */
export const earnedOpening = definePartOfRow(campaignStores, {
  record: "earned_opening",
  fields: z.object({ store_id: Id, campaign_id: Id, earned: EarnedHundredths }),
  keyFields: ["store_id", "campaign_id"],
  isPermanent: true,
  columns: { earned_opening: "earned" },
  hundredths: ["earned"],
  ways: [wayOf("balance_entry", "campaign_stores.earned_opening = 0")],
  references: { store_id: STORES, campaign_id: CAMPAIGNS },
  uses: ["earned"],
  faults: [ofAnotherAccount("campaign_id", "a campaign", CAMPAIGNS)],
  write: (lines) => [
    putOpenings(lines, {
      table: "campaign_stores",
      key: ["store_key", "campaign_key"],
      openings: [{ total: "earned", opening: "earned_opening", field: "earned" }],
    }),
  ],
});

const TOKENS = LEVELS.map((level) => `tokens_${level}` as const);

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
    tokens_1_opening: "tokens_1",
    tokens_2_opening: "tokens_2",
    tokens_3_opening: "tokens_3",
    tokens_4_opening: "tokens_4",
    tokens_5_opening: "tokens_5",
  },
  hundredths: TOKENS,
  ways: [wayOf("token_earning", `(${TOKENS.map((tokens) => `memberships.${tokens}_opening`)}) IS (0, 0, 0, 0, 0)`)],
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
    runs_opening: "runs",
    hits_opening: "hits",
    doubles_opening: "doubles",
    triples_opening: "triples",
  },
  hundredths: ["runs"],
  ways: [wayOf("play", "play_totals.runs_opening IS NULL")],
  references: { eip_campaign_id: EIP_CAMPAIGNS, location_id: STORES, employee_id: EMPLOYEES },
  uses: MEASURES,
  faults: [
    ofAnotherAccount("eip_campaign_id", "a campaign", EIP_CAMPAIGNS, "location_key"),
    ofAnotherAccount("employee_id", "an employee", EMPLOYEES, "location_key"),
  ],
  write: (lines) => [
    putOpenings(lines, {
      table: "play_totals",
      key: ["location_key", "eip_campaign_key", "employee_key"],
      openings: MEASURES.map((measure) => ({
        total: measure,
        opening: `${measure}_opening`,
        field: measure,
      })),
    }),
  ],
});

/** Where no event of the kind has left there is no opening, and the table is not read. */
function wayOf(events: string, leftOut: string): Way {
  return { when: `EXISTS (SELECT 1 FROM history_segments WHERE kind = '${events}')`, leftOut };
}

interface Openings {
  table: string;
  key: readonly string[];
  openings: readonly { total: string; opening: string; field: string }[];
}

/** Puts openings in the place of those that are stored, and moves the totals by the difference. */
function putOpenings(lines: SQL, { table, key, openings }: Openings): SQL {
  const columns = [...key, ...openings.map(({ total }) => total), ...openings.map(({ opening }) => opening)];
  const fields = openings.map(({ field }) => field);
  const sets = openings.flatMap(({ total, opening }) => [
    `${total} = ${table}.${total} + excluded.${opening} - coalesce(${table}.${opening}, 0)`,
    `${opening} = excluded.${opening}`,
  ]);
  const names = openings.map(({ opening }) => opening);
  const isAnother = `(${names.map((name) => `${table}.${name}`)}) IS NOT (${names.map((name) => `excluded.${name}`)})`;
  return sql.join(
    [
      sql.raw(`INSERT INTO ${table} (${columns}) SELECT ${[...key, ...fields, ...fields]} FROM`),
      lines,
      sql.raw(`AS line WHERE true ON CONFLICT (${key}) DO UPDATE SET ${sets} WHERE ${isAnother}`),
    ],
    sql` `,
  );
}
