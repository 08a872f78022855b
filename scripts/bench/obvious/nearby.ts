import { sql } from "drizzle-orm";
import type * as z from "zod";
import { EARTH_RADIUS_MILES } from "../../../src/customer/campaigns/bounding-boxes.ts";
import { isRunning } from "../../../src/customer/campaigns/queries.ts";
import type { NearbyCampaign, NearbyCampaignsBody } from "../../../src/customer/campaigns/schema.ts";
import type { Database } from "../../../src/db/database.ts";
import { campaigns } from "../../../src/db/tables.ts";

/** The obvious way: the haversine of every store of the chain, and the entries of those in range summed up. */
export function nearbyCampaigns(
  db: Database,
  query: z.output<typeof NearbyCampaignsBody> & { radiusMiles: number },
): Promise<NearbyCampaign[]> {
  const { latitude, longitude, single_account_id, count, radiusMiles } = query;
  return db.all<NearbyCampaign>(sql`
    WITH near_store AS MATERIALIZED (
      SELECT id, miles FROM (
        SELECT id, ${2 * EARTH_RADIUS_MILES} * asin(sqrt(
          pow(sin(radians(latitude - ${latitude}) / 2), 2) +
          cos(radians(${latitude})) * cos(radians(latitude)) * pow(sin(radians(longitude - ${longitude}) / 2), 2)
        )) AS miles
        FROM stores
        WHERE account_id = ${single_account_id} AND set_aside = 0
      )
      WHERE miles <= ${radiusMiles}
    ),
    earned AS (
      SELECT campaign_id, sum(amount) AS amount
      FROM balance_entries
      WHERE store_id IN (SELECT id FROM near_store) AND amount > 0
      GROUP BY campaign_id
    )
    SELECT
      ${campaigns.name} AS name, ${campaigns.id} AS id, ${campaigns.campaignDescription} AS campaign_description,
      ${campaigns.campaignImage} AS campaign_image, round(min(near_store.miles), 2) AS distance
    FROM ${campaigns}
    CROSS JOIN near_store
    LEFT JOIN campaign_stores ON campaign_stores.campaign_id = ${campaigns.id}
      AND campaign_stores.store_id = near_store.id
    LEFT JOIN earned ON earned.campaign_id = ${campaigns.id}
    WHERE ${campaigns.accountId} = ${single_account_id} AND ${isRunning()}
      AND (${campaigns.allStores} = 1 OR campaign_stores.listed = 1)
    GROUP BY ${campaigns.id}
    ORDER BY coalesce(earned.amount, 0) DESC, min(near_store.miles), ${campaigns.id}
    LIMIT ${count}`);
}
