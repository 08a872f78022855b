import { sql } from "drizzle-orm";
import { BOARD_LIMIT } from "../../../src/customer/gamification/boards.ts";
import { type EmployeeTotals, rank } from "../../../src/customer/gamification/ranking.ts";
import type { LeaderboardItem } from "../../../src/customer/gamification/schema.ts";
import type { Database } from "../../../src/db/database.ts";

const RUNNING = sql`start_date <= (SELECT today FROM clock) AND coalesce(end_date >= (SELECT today FROM clock), 1)`;

/** The naive query: every play at the location summed up for each request. */
export async function leaderboard(db: Database, locationId: string, campaignId: string | null) {
  const totals = await db.all(sql<EmployeeTotals>`
    SELECT
      employees.id, employees.name, employees.avatar,
      sum(runs) AS runs, sum(hits) AS hits, sum(doubles) AS doubles, sum(triples) AS triples
    FROM plays
    JOIN employees ON employees.key = plays.employee_key
    JOIN eip_campaigns ON eip_campaigns.key = plays.eip_campaign_key
    WHERE plays.location_key = (SELECT key FROM stores WHERE id = ${locationId})
      AND employees.deleted = 0 AND eip_campaigns.deleted = 0
      AND ${campaignId === null ? RUNNING : sql`plays.eip_campaign_key = (SELECT key FROM eip_campaigns WHERE id = ${campaignId})`}
    GROUP BY employees.key
    ORDER BY runs DESC, employees.name, employees.id`);
  return rank(totals, "run", BOARD_LIMIT) satisfies LeaderboardItem[];
}
