import { type SQL, sql } from "drizzle-orm";
import type { campaigns } from "../db/tables/campaigns.ts";

/** Whether a campaign runs today: not soft-deleted, `status` 1, today within its dates, both ends included. */
export function isRunning(campaign: typeof campaigns): SQL {
  return sql`${campaign.deleted} = 0 AND ${campaign.status} = 1
    AND ${campaign.campaignStartDate} <= (SELECT today FROM clock)
    AND coalesce(${campaign.campaignEndDate} >= (SELECT today FROM clock), 1)`;
}
