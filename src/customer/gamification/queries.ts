import { eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select, selectWith } from "../../db/select.ts";
import { employees } from "../../records/employee.ts";
import { playTotals } from "../../records/play.ts";
import { visibleEipCampaigns, visibleStores } from "../../records/views.ts";
import { BOARD_LIMIT, type Measure } from "./schema.ts";

/** A board of a location by a measure: in one campaign, or (null) in all that run now. */
export interface BoardOf {
  locationId: string;
  campaignId: string | null;
  measure: Measure;
}

/**
 * The totals of the first employees, highest first, then by name, then by id. Null: the location or the campaign is not
 * stored, or is soft-deleted.
 */
export async function findBoard(db: Database, { locationId, campaignId, measure }: BoardOf) {
  const shape = { inAllCampaigns: campaignId === null, measure };
  const rows = await db.all(selectBoardTotals(shape, { locationId, campaignId: campaignId ?? "", limit: BOARD_LIMIT }));
  if (rows[0]?.known !== 1) return null;
  return rows.flatMap(({ known: _, id, ...totals }) => (id === null ? [] : [{ id, ...totals }]));
}

/** An employee's totals on a board; `runs` in hundredths. */
export type EmployeeTotals = NonNullable<Awaited<ReturnType<typeof findBoard>>>[number];

/**
 * An empty board has one row, which says whether the board is known; its other columns are NULL. Names and avatars may be long,
 * so only the first employees are joined to them.
 */
const selectBoardTotals = compilePer(
  "gamification/board",
  (
    shape: { inAllCampaigns: boolean; measure: Measure },
    placeholder: PlaceholderOf<"locationId" | "campaignId" | "limit">,
  ) => {
    const total = sql.raw(`${shape.measure}s`);
    return selectWith(
      sql`location AS MATERIALIZED ${query
        .select(pick(visibleStores, "key", "account_key"))
        .from(visibleStores)
        .where(eq(visibleStores.id, placeholder("locationId")))},
    campaign AS MATERIALIZED (
      SELECT ${visibleEipCampaigns.key} AS key
      FROM location CROSS JOIN ${visibleEipCampaigns} ON ${visibleEipCampaigns.account_key} = location.account_key
      WHERE ${shape.inAllCampaigns ? visibleEipCampaigns.is_running : eq(visibleEipCampaigns.id, placeholder("campaignId"))}
    ),
    total AS MATERIALIZED (${shape.inAllCampaigns ? SUMS : TOTALS}),
    leader AS (${selectFirst(total, placeholder("limit"))})`,
      {
        known: sql<0 | 1>`known`,
        id: sql<string | null>`${employees.id}`,
        ...pick(employees, "name", "avatar"),
        runs: sql<number>`leader.runs`,
        hits: sql<number>`leader.hits`,
        doubles: sql<number>`leader.doubles`,
        triples: sql<number>`leader.triples`,
      },
      sql`FROM (SELECT EXISTS (SELECT 1 FROM ${shape.inAllCampaigns ? sql`location` : sql`campaign`}) AS known)
      LEFT JOIN leader LEFT JOIN ${employees} ON ${employees.key} = leader.key
      ORDER BY leader.${total} DESC, ${employees.name}, ${employees.id}`,
    );
  },
);

/** The first employees by a total. Names decide among equal totals, so they are read of those who reach the last total. */
function selectFirst(total: SQL, limit: Placeholder): SQL {
  const last = sql`(SELECT ${total} FROM total ORDER BY ${total} DESC LIMIT 1 OFFSET ${limit} - 1)`;
  return sql`
    SELECT total.* FROM total CROSS JOIN ${employees} ON ${employees.key} = total.key
    WHERE total.${total} >= coalesce(${last}, total.${total})
    ORDER BY total.${total} DESC, ${employees.name}, ${employees.id} ${limitTo(limit)}`;
}

const FROM_TOTALS = sql`FROM location CROSS JOIN campaign
  CROSS JOIN ${playTotals} ON ${playTotals.location_key} = location.key AND ${playTotals.eip_campaign_key} = campaign.key
  WHERE NOT EXISTS (
    SELECT 1 FROM ${employees} INDEXED BY employees_deleted
    WHERE ${employees.deleted} = 1 AND ${employees.key} = ${playTotals.employee_key}
  )`;

/** The totals of each employee in one campaign, which are stored. */
const TOTALS = select(
  { key: playTotals.employee_key, ...pick(playTotals, "runs", "hits", "doubles", "triples") },
  FROM_TOTALS,
);

/** The sums of these over campaigns. `total()`, because `sum()` fails if they exceed an integer. */
const SUMS = select(
  {
    key: playTotals.employee_key,
    runs: sql`total(${playTotals.runs})`,
    hits: sql`total(${playTotals.hits})`,
    doubles: sql`total(${playTotals.doubles})`,
    triples: sql`total(${playTotals.triples})`,
  },
  sql`${FROM_TOTALS} GROUP BY ${playTotals.employee_key}`,
);
