import { type SQL, sql } from "drizzle-orm";
import { compilePer, type Database } from "../../db/database.ts";
import { accounts, eipCampaigns, employees, playTotals, stores } from "../../db/tables/index.ts";
import type { EmployeeTotals } from "./ranking.ts";

/** Which board: a location's in one campaign, or in all that run today. */
export interface BoardOf {
  locationId: string;
  campaignId: string | null;
}

/** What all four rankings of a board are made of. */
export interface BoardTotals {
  /** Whether location and campaign are stored and not soft-deleted. */
  known: boolean;
  /** The day by D1's clock: that on which the campaigns of the board are running. */
  today: string;
  /** Whoever is among the first by some measure, by name, then id. */
  employees: EmployeeTotals[];
}

/** The totals of boards, in their order: of each the first `limit` by each of the four measures. One round trip. */
export async function findBoards(db: Database, boards: readonly BoardOf[], limit: number): Promise<BoardTotals[]> {
  const results = await db.batch(
    boards.map(({ locationId, campaignId }) =>
      boardTotals({ ofAll: campaignId === null }, { locationId, campaignId: campaignId ?? "", limit }),
    ),
  );
  return results.map((rows) => {
    const [head] = rows as unknown as { known: 0 | 1; today: string }[];
    const employees = (rows as unknown as (EmployeeTotals | { id: null })[]).filter((row) => row.id !== null);
    return {
      known: head?.known === 1,
      today: head?.today ?? "",
      employees: employees.map(({ id, name, avatar, runs, hits, doubles, triples }) => ({
        id,
        name,
        avatar,
        runs,
        hits,
        doubles,
        triples,
      })),
    };
  });
}

/**
 * One row at least: what is known of the board is told of an empty one too. `total()`, because `sum()` fails where many
 * campaigns come to more than an integer holds; a number of JavaScript's is as exact.
 */
const boardTotals = compilePer<{ ofAll: boolean }, keyof BoardOf | "limit">(
  ({ ofAll }, value) => sql`
    WITH location AS MATERIALIZED (
      SELECT ${stores.key} AS key, ${stores.accountKey} AS account_key
      FROM ${stores} JOIN ${accounts} ON ${accounts.key} = ${stores.accountKey}
      WHERE ${stores.id} = ${value("locationId")} AND ${stores.deleted} = 0 AND ${accounts.deleted} = 0
    ),
    campaign AS MATERIALIZED (
      SELECT ${eipCampaigns.key} AS key
      FROM location CROSS JOIN ${eipCampaigns} ON ${eipCampaigns.accountKey} = location.account_key
      WHERE ${eipCampaigns.deleted} = 0
        AND ${ofAll ? isRunning(eipCampaigns) : sql`${eipCampaigns.id} = ${value("campaignId")}`}
    ),
    total AS MATERIALIZED (
      SELECT
        ${employees.id} AS id, ${employees.name} AS name, ${employees.avatar} AS avatar,
        total(${playTotals.runs}) AS runs, total(${playTotals.hits}) AS hits,
        total(${playTotals.doubles}) AS doubles, total(${playTotals.triples}) AS triples
      FROM location CROSS JOIN campaign
      CROSS JOIN ${playTotals} ON ${playTotals.locationKey} = location.key AND ${playTotals.eipCampaignKey} = campaign.key
      CROSS JOIN ${employees} ON ${employees.key} = ${playTotals.employeeKey}
      WHERE ${employees.deleted} = 0
      GROUP BY ${employees.key}
    ),
    ranked AS (
      SELECT *,
        row_number() OVER (ORDER BY runs DESC, name, id) AS by_runs,
        row_number() OVER (ORDER BY hits DESC, name, id) AS by_hits,
        row_number() OVER (ORDER BY doubles DESC, name, id) AS by_doubles,
        row_number() OVER (ORDER BY triples DESC, name, id) AS by_triples
      FROM total
    )
    SELECT
      known, today, ranked.id AS id, name, avatar, runs, hits, doubles, triples
    FROM (
      SELECT (SELECT today FROM clock) AS today,
        EXISTS (SELECT 1 FROM ${ofAll ? sql`location` : sql`campaign`}) AS known
    )
    LEFT JOIN ranked ON min(by_runs, by_hits, by_doubles, by_triples) <= ${value("limit")}
    ORDER BY name, ranked.id`,
);

function isRunning(campaign: typeof eipCampaigns): SQL {
  return sql`${campaign.startDate} <= (SELECT today FROM clock)
    AND coalesce(${campaign.endDate} >= (SELECT today FROM clock), 1)`;
}
