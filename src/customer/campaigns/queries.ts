import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, writtenOnce } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { accounts, campaignStores, campaigns, stores } from "../../db/tables.ts";
import { type BoundingBox, boundingBoxes, EARTH_RADIUS_MILES, type Position } from "./bounding-boxes.ts";
import type { NearbyCampaign } from "./schema.ts";

export interface NearbyCampaignsQuery {
  accountId: string;
  near: Position;
  radiusMiles: number;
  limit: number;
}

/**
 * The account's running campaigns that list a store within the radius, most popular first, where popularity is what a
 * campaign has earned at those stores; then the nearest, then by id (decisions.md, section 4). One round trip.
 */
export function findNearbyCampaigns(db: Database, query: NearbyCampaignsQuery): Promise<NearbyCampaign[]> {
  const { near, ...values } = query;
  const boxes = JSON.stringify(boundingBoxes(near, query.radiusMiles).map(cornersOf));
  return db.all<NearbyCampaign>(nearbyCampaigns({ ...values, ...near, boxes }));
}

const nearbyCampaigns = writtenOnce<keyof Omit<NearbyCampaignsQuery, "near"> | keyof Position | "boxes">(
  (value) => sql`
    WITH account AS (
      SELECT key, id FROM ${accounts} WHERE id = ${value("accountId")} AND set_aside = 0
    ),
    near_store AS MATERIALIZED (
      SELECT id, miles FROM (
        SELECT ${stores.id} AS id, ${milesTo(value("latitude"), value("longitude"))} AS miles
        FROM account
        CROSS JOIN (
          SELECT value ->> 0 AS south, value ->> 1 AS north, value ->> 2 AS west, value ->> 3 AS east
          FROM json_each(${value("boxes")})
        ) AS box
        CROSS JOIN store_positions AS position
          ON position.min_account <= account.key AND position.max_account >= account.key
          AND position.min_latitude <= box.north AND position.max_latitude >= box.south
          AND position.min_longitude <= box.east AND position.max_longitude >= box.west
        CROSS JOIN ${stores} ON ${stores.key} = position.key
      )
      WHERE miles <= ${value("radiusMiles")}
    )
    SELECT
      ${campaigns.name} AS name, ${campaigns.id} AS id,
      ${campaigns.campaignDescription} AS campaign_description, ${campaigns.campaignImage} AS campaign_image,
      round(min(near_store.miles), 2) AS distance
    FROM account
    CROSS JOIN ${campaigns} ON ${campaigns.accountId} = account.id AND ${isRunning()}
    CROSS JOIN near_store
    LEFT JOIN ${campaignStores} AS pair ON pair.campaign_id = ${campaigns.id} AND pair.store_id = near_store.id
    WHERE ${campaigns.allStores} = 1 OR pair.listed = 1
    GROUP BY ${campaigns.key}
    ORDER BY total(pair.earned) DESC, min(near_store.miles), ${campaigns.id}
    ${limitTo(value("limit"))}`,
);

/** Whether a campaign runs today: not set aside, `status` 1, today within its dates, both ends included. */
export function isRunning(): SQL {
  return sql`${campaigns.setAside} = 0 AND ${campaigns.status} = 1
    AND ${campaigns.campaignStartDate} <= (SELECT today FROM clock)
    AND coalesce(${campaigns.campaignEndDate} >= (SELECT today FROM clock), 1)`;
}

/** The great-circle distance from a store to a place, in miles, by the haversine. */
function milesTo(latitude: Placeholder, longitude: Placeholder): SQL {
  const halfLatitude = sql`radians(${stores.latitude} - ${latitude}) / 2`;
  const halfLongitude = sql`radians(${stores.longitude} - ${longitude}) / 2`;
  const cosines = sql`cos(radians(${latitude})) * cos(radians(${stores.latitude}))`;
  const haversine = sql`pow(sin(${halfLatitude}), 2) + ${cosines} * pow(sin(${halfLongitude}), 2)`;
  return sql`${2 * EARTH_RADIUS_MILES} * asin(sqrt(min(1, ${haversine})))`;
}

/** A box in the R*Tree's unit, 1e-7 degrees, rounded outwards. */
function cornersOf({ south, north, west, east }: BoundingBox): number[] {
  return [Math.floor(south * 1e7), Math.ceil(north * 1e7), Math.floor(west * 1e7), Math.ceil(east * 1e7)];
}
