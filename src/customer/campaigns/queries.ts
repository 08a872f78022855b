import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type Database } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { accounts, campaignStores, campaigns, stores } from "../../db/tables/index.ts";
import { boundingBoxes, EARTH_RADIUS_MILES, type Position } from "./bounding-boxes.ts";
import type { NearbyCampaign } from "./schema.ts";

/** As many as `stores.band` counts. */
const BANDS_A_DEGREE = 10;

export interface NearbyCampaignsQuery {
  accountId: string;
  near: Position;
  radiusMiles: number;
  limit: number;
}

/**
 * The account's running campaigns that list a store within the radius, most popular first, where popularity is what a
 * campaign has earned at those stores; then the nearest, then by id (docs/contract/interface.md, 4.1). One round trip.
 */
export function findNearbyCampaigns(db: Database, query: NearbyCampaignsQuery): Promise<NearbyCampaign[]> {
  const { near, ...values } = query;
  const [box, other = box] = boundingBoxes(near, query.radiusMiles);
  const firstBand = Math.floor(box.south * BANDS_A_DEGREE);
  const bands = Math.floor(box.north * BANDS_A_DEGREE) - firstBand + 1;
  const sides = { west: box.west, east: box.east, otherWest: other.west, otherEast: other.east };
  return db.all<NearbyCampaign>(
    nearbyCampaigns({ bands, isCut: other !== box }, { ...values, ...near, firstBand, ...sides }),
  );
}

/** What the text of the query depends on: how many bands the circle touches, and whether the 180th meridian cuts it. */
interface Shape {
  bands: number;
  isCut: boolean;
}

type ValueName =
  | keyof Omit<NearbyCampaignsQuery, "near">
  | keyof Position
  | "firstBand"
  | "west"
  | "east"
  | "otherWest"
  | "otherEast";

/** Up to so many running campaigns for all stores, each is looked up at each store nearby. */
const FEW_CAMPAIGNS = 8;

/**
 * Each campaign is looked up at each store nearby, the nearest first. A campaign for all stores is as near as the
 * nearest store and needs only the pairs in which it has earned something. Where there are many such campaigns, most
 * without a pair, the pairs that exist are read instead, store by store.
 */
const nearbyCampaigns = compilePer<Shape, ValueName>(
  (shape, value) => sql`
    WITH account(key) AS MATERIALIZED (
      SELECT ${accounts.key} FROM ${accounts} WHERE ${accounts.id} = ${value("accountId")} AND ${accounts.deleted} = 0
    ),
    near_store AS MATERIALIZED (
      SELECT key, miles FROM (
        SELECT ${stores.key} AS key, ${milesTo(value("latitude"), value("longitude"))} AS miles
        FROM (VALUES ${stripsOf(shape)}) AS strip
        CROSS JOIN stores INDEXED BY stores_by_position
          ON ${stores.accountKey} = (SELECT key FROM account) AND ${stores.band} = ${value("firstBand")} + strip.column1
          AND ${stores.longitude} BETWEEN iif(strip.column2, ${value("otherWest")}, ${value("west")})
            AND iif(strip.column2, ${value("otherEast")}, ${value("east")})
          AND ${stores.deleted} = 0
      )
      WHERE miles <= ${value("radiusMiles")}
      ORDER BY miles
    ),
    running AS MATERIALIZED (
      SELECT
        ${campaigns.key} AS key, ${campaigns.listedStores} IS NULL AS for_all, ${campaigns.name} AS name,
        ${campaigns.id} AS id, ${campaigns.campaignDescription} AS campaign_description,
        ${campaigns.campaignImage} AS campaign_image,
        iif(${campaigns.listedStores} IS NULL, (SELECT miles FROM near_store LIMIT 1), (
          SELECT near_store.miles FROM ${atStoresNearby(sql`${campaigns.key}`)} AND pair.listed = 1 LIMIT 1
        )) AS miles
      FROM ${campaigns}
      WHERE ${campaigns.accountKey} = (SELECT key FROM account WHERE EXISTS (SELECT 1 FROM near_store))
        AND ${isRunning(campaigns)}
    ),
    earned_everywhere AS MATERIALIZED (
      SELECT pair.campaign_key AS key, total(pair.earned) AS earned
      FROM near_store CROSS JOIN ${campaignStores} AS pair
        ON pair.store_key = near_store.key
        AND pair.campaign_key BETWEEN (SELECT min(key) FROM running WHERE for_all)
        AND (SELECT max(key) FROM running WHERE for_all)
      GROUP BY pair.campaign_key
    )
    SELECT name, id, campaign_description, campaign_image, round(miles, 2) AS distance
    FROM running
    WHERE miles IS NOT NULL
    ORDER BY
      iif(
        for_all AND (SELECT count(*) FROM running AS one WHERE one.for_all) > ${sql.raw(String(FEW_CAMPAIGNS))},
        coalesce((SELECT earned FROM earned_everywhere WHERE key = running.key), 0),
        (SELECT total(pair.earned) FROM ${atStoresNearby(sql`running.key`)} AND (pair.listed = 1 OR running.for_all))
      ) DESC,
      miles, id
    ${limitTo(value("limit"))}`,
);

/** The strips of which stores are read: each band of the first box and, where there is one, of the other. */
function stripsOf({ bands, isCut }: Shape): SQL {
  const boxes = isCut ? [0, 1] : [0];
  const strips = boxes.flatMap((box) => Array.from({ length: bands }, (_, band) => `(${band}, ${box})`));
  return sql.raw(strips.join(", "));
}

/** The pairs of a campaign with the stores nearby, the nearest first. */
function atStoresNearby(campaignKey: SQL): SQL {
  return sql`near_store CROSS JOIN ${campaignStores} AS pair
    ON pair.store_key = near_store.key AND pair.campaign_key = ${campaignKey}`;
}

/** Whether a campaign runs today: not soft-deleted, `status` 1, today within its dates, both ends included. */
export function isRunning(campaign: typeof campaigns): SQL {
  return sql`${campaign.deleted} = 0 AND ${campaign.status} = 1
    AND ${campaign.campaignStartDate} <= (SELECT today FROM clock)
    AND coalesce(${campaign.campaignEndDate} >= (SELECT today FROM clock), 1)`;
}

/** The great-circle distance from a store to a position, in miles, by the haversine. */
function milesTo(latitude: Placeholder, longitude: Placeholder): SQL {
  const halfLatitude = sql`radians(${stores.latitude} - ${latitude}) / 2`;
  const halfLongitude = sql`radians(${stores.longitude} - ${longitude}) / 2`;
  const cosines = sql`cos(radians(${latitude})) * cos(radians(${stores.latitude}))`;
  const haversine = sql`pow(sin(${halfLatitude}), 2) + ${cosines} * pow(sin(${halfLongitude}), 2)`;
  return sql`${2 * EARTH_RADIUS_MILES} * asin(sqrt(min(1, ${haversine})))`;
}
