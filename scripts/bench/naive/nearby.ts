import { sql } from "drizzle-orm";
import type * as z from "zod";
import { EARTH_RADIUS_MILES } from "../../../src/customer/campaigns/bounding-boxes.ts";
import type { NearbyCampaign, NearbyCampaignsBody } from "../../../src/customer/campaigns/schema.ts";
import type { Database } from "../../../src/db/database.ts";
import { campaigns } from "../../../src/db/tables/index.ts";
import { isRunning } from "../../../src/domain/campaigns.ts";

/** The naive query: the haversine of every store of the chain, and the entries of those in range summed up. */
export function nearbyCampaigns(
  db: Database,
  query: z.output<typeof NearbyCampaignsBody> & { radiusMiles: number },
): Promise<NearbyCampaign[]> {
  const { latitude, longitude, single_account_id, count, radiusMiles } = query;
  return db.all(sql<NearbyCampaign>`
    WITH account(key) AS MATERIALIZED (SELECT key FROM accounts WHERE id = ${single_account_id}),
    near_store AS MATERIALIZED (
      SELECT key, miles FROM (
        SELECT key, ${2 * EARTH_RADIUS_MILES} * asin(sqrt(
          pow(sin(radians(latitude - ${latitude}) / 2), 2) +
          cos(radians(${latitude})) * cos(radians(latitude)) * pow(sin(radians(longitude - ${longitude}) / 2), 2)
        )) AS miles
        FROM stores
        WHERE account_key = (SELECT key FROM account) AND deleted = 0
      )
      WHERE miles <= ${radiusMiles}
    ),
    earned AS (
      SELECT campaign_key, sum(amount) AS amount
      FROM balance_entries
      WHERE store_key IN (SELECT key FROM near_store) AND amount > 0
      GROUP BY campaign_key
    )
    SELECT
      ${campaigns.name} AS name, ${campaigns.id} AS id, ${campaigns.campaignDescription} AS campaign_description,
      ${campaigns.campaignImage} AS campaign_image, round(min(near_store.miles), 2) AS distance
    FROM ${campaigns}
    CROSS JOIN near_store
    LEFT JOIN campaign_stores ON campaign_stores.campaign_key = ${campaigns.key}
      AND campaign_stores.store_key = near_store.key
    LEFT JOIN earned ON earned.campaign_key = ${campaigns.key}
    WHERE ${campaigns.accountKey} = (SELECT key FROM account) AND ${isRunning(campaigns)}
      AND (${campaigns.listedStores} IS NULL OR campaign_stores.listed = 1)
    GROUP BY ${campaigns.key}
    ORDER BY coalesce(earned.amount, 0) DESC, min(near_store.miles), ${campaigns.id}
    LIMIT ${count}`);
}
