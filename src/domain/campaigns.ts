import { type SQL, sql } from "drizzle-orm";
import { NOW } from "../db/clock.ts";
import type { campaigns } from "../db/tables/campaigns.ts";
import type { eipCampaigns } from "../db/tables/plays.ts";

/** Whether a campaign runs now: not soft-deleted, `status` 1, and within its dates in its time zone. */
export function isRunning(campaign: typeof campaigns): SQL {
  return sql`${campaign.deleted} = 0 AND ${campaign.status} = 1 AND ${isWithinDates(campaign)}`;
}

/** Whether it is a day of the campaign, where the campaign is. */
export function isWithinDates({ starts_at, ends_at }: typeof campaigns | typeof eipCampaigns): SQL {
  return sql`${starts_at} <= ${NOW} AND ${ends_at} >= ${NOW}`;
}
