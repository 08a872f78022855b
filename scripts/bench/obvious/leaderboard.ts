import { sql } from "drizzle-orm";
import { BOARD_LIMIT } from "../../../src/customer/gamification/boards.ts";
import { type EmployeeTotals, rank } from "../../../src/customer/gamification/ranking.ts";
import type { LeaderboardItem } from "../../../src/customer/gamification/schema.ts";
import type { Database } from "../../../src/db/database.ts";

const RUNNING = sql`start_date <= (SELECT today FROM clock) AND coalesce(end_date >= (SELECT today FROM clock), 1)`;

/** The obvious way: every play at the location summed up for each request. */
export async function leaderboard(db: Database, locationId: string, campaignId: string | null) {
  const totals = await db.all<EmployeeTotals>(sql`
    SELECT
      employees.id, employees.name, employees.avatar,
      sum(runs) AS runs, sum(hits) AS hits, sum(doubles) AS doubles, sum(triples) AS triples
    FROM plays
    JOIN employees ON employees.id = plays.employee_id
    JOIN eip_campaigns ON eip_campaigns.id = plays.eip_campaign_id
    WHERE plays.location_id = ${locationId} AND employees.set_aside = 0 AND eip_campaigns.set_aside = 0
      AND ${campaignId === null ? RUNNING : sql`plays.eip_campaign_id = ${campaignId}`}
    GROUP BY employees.id
    ORDER BY runs DESC, employees.name, employees.id`);
  return rank(totals, "run", BOARD_LIMIT) satisfies LeaderboardItem[];
}
