import { eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select, selectWith } from "../../db/select.ts";
import { campaignEarnings, campaignStores } from "../../records/campaign.ts";
import { stores } from "../../records/store.ts";
import { runningCampaigns, visibleAccounts } from "../../records/views.ts";
import type { NearbyCampaign } from "./schema.ts";

/** `stores.band` counts tenths of a degree. */
const BANDS_A_DEGREE = 10;

interface NearbyCampaignsQuery {
  /** Degrees, -90 to 90. */
  latitude: number;
  /** Degrees, -180 to 180. */
  longitude: number;
  accountId: string;
  radiusMiles: number;
  limit: number;
}

/**
 * The account's running campaigns that list a store within the radius (docs/contract/interface.md, 4.1). First come those
 * that have earned most at these stores, then the nearest, then by id. One round trip.
 */
export function findNearbyCampaigns(db: Database, asked: NearbyCampaignsQuery): Promise<NearbyCampaign[]> {
  const { south, north, west, east } = boundingBox(asked);
  const firstBand = Math.floor(south * BANDS_A_DEGREE);
  const shape = { bands: Math.floor(north * BANDS_A_DEGREE) - firstBand + 1, isCut: west > east };
  return db.all(selectNearbyCampaigns(shape, { ...asked, firstBand, west, east }));
}

interface Shape {
  /** How many bands the circle touches. */
  bands: number;
  /** Whether the 180th meridian cuts it. */
  isCut: boolean;
}

type Placeholders = PlaceholderOf<keyof NearbyCampaignsQuery | "firstBand" | "west" | "east">;

/** With at most this many stores nearby, look up each campaign at each store. With more, sample this many. */
const FEW_STORES = sql.raw("4");

/** How many pairs of a store nearby and a campaign are read at most: those of the nearest stores (docs/contract/interface.md, 4.1). */
const LISTED_PAIRS = sql.raw("10000");
const EARNED_PAIRS = sql.raw("20000");

/**
 * Lists the campaigns for all stores, and those that list a store nearby. Adds up what they have earned nearby, in one of two
 * ways: it looks up each running campaign at each store, or (`by_store`) it reads the pairs of these stores with a campaign
 * that has earned there. A sample of the stores says which way reads fewer rows. Pairs stay when their campaign is over, so a
 * store may have more pairs than there are running campaigns.
 */
const selectNearbyCampaigns = compilePer("campaigns/nearby", (shape: Shape, placeholder: Placeholders) =>
  selectWith(
    sql`near_store AS MATERIALIZED (${storesNearby(shape, placeholder)} ORDER BY miles),
    way AS MATERIALIZED (
      SELECT account_key, EXISTS (SELECT 1 FROM near_store LIMIT 1 OFFSET ${FEW_STORES}) AND EXISTS (
        SELECT 1 FROM ${runningCampaigns} WHERE ${isOf(sql`SELECT account_key FROM near_store LIMIT 1`)}
        LIMIT 1 OFFSET min(${EARNED_PAIRS} / (SELECT count(*) FROM near_store), 1 + (
          SELECT count(*) FROM (
            SELECT 1 FROM (SELECT key FROM near_store LIMIT ${FEW_STORES}) AS sample
            CROSS JOIN ${campaignEarnings} ON ${campaignEarnings.store_key} = sample.key LIMIT ${EARNED_PAIRS}
          )
        ) / ${FEW_STORES})
      ) AS by_store
      FROM near_store LIMIT 1
    ),
    paired AS MATERIALIZED (
      SELECT
        campaign_key AS key, total(earned) AS earned, total(iif(is_listed, earned, 0)) AS earned_where_listed,
        min(iif(is_listed, miles, NULL)) AS miles_where_listed
      FROM (${LISTED} UNION ALL ${EARNED_BY_STORE} UNION ALL ${EARNED_BY_CAMPAIGN})
      GROUP BY campaign_key
    ),
    shown AS MATERIALIZED (
      ${WITH_PAIRS} UNION ALL SELECT * FROM (${withoutPairs(placeholder("limit"))})
      ORDER BY earned DESC, miles, id ${limitTo(placeholder("limit"))}
    )`,
    { ...SHOWN, distance: sql<number>`round(miles, 2)` },
    sql`FROM shown CROSS JOIN ${runningCampaigns} ON ${runningCampaigns.key} = shown.key
    ORDER BY earned DESC, miles, ${runningCampaigns.id}`,
  ),
);

const SHOWN = pick(runningCampaigns, "name", "id", "campaign_description", "campaign_image");

/** Whether the campaign of a pair with earnings lists its store now. */
const IS_LISTED = sql`EXISTS (
  SELECT 1 FROM ${campaignStores}
  WHERE ${campaignStores.store_key} = near_store.key AND ${campaignStores.campaign_key} = ${campaignEarnings.campaign_key}
)`;
const EARNED = { ...pick(campaignEarnings, "campaign_key"), miles: sql`miles`, ...pick(campaignEarnings, "earned") };

// SQLite reads the stores in the order in which they were stored: the nearest first.
const LISTED = sql`SELECT * FROM (${select(
  { ...pick(campaignStores, "campaign_key"), miles: sql`miles`, earned: sql`0`, is_listed: sql`1` },
  sql`FROM near_store CROSS JOIN ${campaignStores} ON ${campaignStores.store_key} = near_store.key LIMIT ${LISTED_PAIRS}`,
)})`;
const EARNED_BY_STORE = sql`SELECT * FROM (${select(
  { ...EARNED, is_listed: IS_LISTED },
  sql`FROM way CROSS JOIN near_store CROSS JOIN ${campaignEarnings} ON ${campaignEarnings.store_key} = near_store.key
    WHERE way.by_store LIMIT ${EARNED_PAIRS}`,
)})`;
const EARNED_BY_CAMPAIGN = select(
  { ...EARNED, is_listed: IS_LISTED },
  sql`FROM ${runningCampaigns} CROSS JOIN near_store CROSS JOIN ${campaignEarnings}
      ON ${campaignEarnings.store_key} = near_store.key AND ${campaignEarnings.campaign_key} = ${runningCampaigns.key}
    WHERE ${isOf(sql`SELECT account_key FROM way WHERE NOT by_store`)}`,
);

/** A campaign for all stores is as near as the nearest store. */
const NEAREST = sql.raw("(SELECT miles FROM near_store LIMIT 1)");
const RANKED = pick(runningCampaigns, "key", "id");

/** Running campaigns with a pair: they list a store nearby, or are for all stores and have earned at one nearby. */
const WITH_PAIRS = select(
  {
    ...RANKED,
    earned: sql`iif(${runningCampaigns.for_all}, paired.earned, paired.earned_where_listed)`,
    miles: sql`iif(${runningCampaigns.for_all}, ${NEAREST}, paired.miles_where_listed)`,
  },
  sql`
    FROM paired CROSS JOIN ${runningCampaigns} ON ${runningCampaigns.key} = paired.key
    WHERE ${isOf(sql`SELECT account_key FROM way`)}
      AND (${runningCampaigns.for_all} = 1 OR paired.miles_where_listed IS NOT NULL)`,
);

/** The campaigns for all stores without a pair. They have all earned nothing, at one distance, so their ids decide the order. */
function withoutPairs(limit: Placeholder): SQL {
  return select(
    { ...RANKED, earned: sql`0`, miles: NEAREST },
    sql`
      FROM ${runningCampaigns}
      WHERE ${isOf(sql`SELECT account_key FROM way`)} AND ${runningCampaigns.for_all} = 1
        AND ${runningCampaigns.key} NOT IN (SELECT key FROM paired)
      ORDER BY ${runningCampaigns.id} ${limitTo(limit)}`,
  );
}

function isOf(accountKey: SQL): SQL {
  return sql`${runningCampaigns.account_key} = (${accountKey})`;
}

/**
 * The stores within the radius. Looking into a band counts as a row read even if it is empty, and many accounts have stores
 * in few bands. So the outermost bands with a store are looked up first.
 */
function storesNearby(shape: Shape, placeholder: Placeholders): SQL {
  const { key, id } = visibleAccounts;
  const accountKey = query
    .select({ key })
    .from(visibleAccounts)
    .where(eq(id, placeholder("accountId")));
  const outermostBand = (which: "min" | "max", bound: SQL) => sql`(
    SELECT ${sql.raw(which)}(${stores.band}) FROM ${stores} INDEXED BY stores_by_position
    WHERE ${stores.account_key} = ${accountKey} AND ${stores.band} ${bound}
  )`;
  const firstBand = placeholder("firstBand");
  const band = sql`${firstBand} + strip.column1`;
  return sql`
    SELECT account_key, key, miles FROM (
      SELECT
        ${stores.account_key} AS account_key, ${stores.key} AS key,
        ${milesTo(placeholder("latitude"), placeholder("longitude"))} AS miles
      FROM (VALUES ${stripsOf(shape)}) AS strip
      CROSS JOIN ${stores} INDEXED BY stores_by_position
        ON ${stores.account_key} = ${accountKey} AND ${stores.band} = ${band}
        AND ${stores.longitude} BETWEEN iif(strip.column2 = 'east', -180, ${placeholder("west")})
          AND iif(strip.column2 = 'west', 180, ${placeholder("east")})
        AND ${stores.deleted} = 0
      WHERE ${band} >= ${outermostBand("min", sql`>= ${firstBand}`)}
        AND ${band} <= ${outermostBand("max", sql`< ${firstBand} + ${sql.raw(String(shape.bands))}`)}
    )
    WHERE miles <= ${placeholder("radiusMiles")}`;
}

/** The strips to read: each band of the box, or each band of its two halves at the 180th meridian. */
function stripsOf({ bands, isCut }: Shape): SQL {
  const halves = isCut ? ["west", "east"] : ["whole"];
  const strips = halves.flatMap((half) => Array.from({ length: bands }, (_, band) => `(${band}, '${half}')`));
  return sql.raw(strips.join(", "));
}

/** The great-circle distance from a store to a position, in miles, by the haversine. */
function milesTo(latitude: Placeholder, longitude: Placeholder): SQL {
  const halfLatitude = sql`radians(${stores.latitude} - ${latitude}) / 2`;
  const halfLongitude = sql`radians(${stores.longitude} - ${longitude}) / 2`;
  const cosines = sql`cos(radians(${latitude})) * cos(radians(${stores.latitude}))`;
  const haversine = sql`pow(sin(${halfLatitude}), 2) + ${cosines} * pow(sin(${halfLongitude}), 2)`;
  return sql`${2 * EARTH_RADIUS_MILES} * asin(sqrt(min(1, ${haversine})))`;
}

/** Mean radius of the earth (docs/contract/interface.md, 4.1). */
const EARTH_RADIUS_MILES = 3958.7613;

// Makes the box a little larger, so that rounding never excludes a store within the radius. That costs a row or two.
const MARGIN_DEGREES = 1e-6;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;

/**
 * The box, in degrees, that holds every point within `radiusMiles` of a position. `west` is greater than `east` if the 180th
 * meridian cuts the box. A circle that holds a pole has all longitudes.
 */
function boundingBox({ latitude, longitude, radiusMiles }: NearbyCampaignsQuery) {
  const angle = radiusMiles / EARTH_RADIUS_MILES;
  const south = latitude - toDegrees(angle) - MARGIN_DEGREES;
  const north = latitude + toDegrees(angle) + MARGIN_DEGREES;
  // The circle is widest a little nearer to the pole than its centre.
  const halfWidth = toDegrees(Math.asin(Math.sin(angle) / Math.cos(toRadians(latitude)))) + MARGIN_DEGREES;
  if (south <= -90 || north >= 90 || halfWidth >= 180) return { south, north, west: -180, east: 180 };
  const [west, east] = [longitude - halfWidth, longitude + halfWidth];
  return { south, north, west: west < -180 ? west + 360 : west, east: east > 180 ? east - 360 : east };
}
