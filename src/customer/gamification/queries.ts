import { eq, type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select, selectWith } from "../../db/select.ts";
import { employees } from "../../records/employee.ts";
import { playTotals } from "../../records/play.ts";
import { visibleEipCampaigns, visibleStores } from "../../records/views.ts";
import { BOARD_LIMIT } from "./schema.ts";

/** A board of a location: in one campaign, or (null) in all that run now. */
export interface BoardOf {
  locationId: string;
  campaignId: string | null;
}

/**
 * The totals of the first employees by each of the four measures, sorted by name, then id. Null: the location or the
 * campaign is not stored, or is soft-deleted.
 */
export async function findBoard(db: Database, { locationId, campaignId }: BoardOf) {
  const shape = { inAllCampaigns: campaignId === null };
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
  (shape: { inAllCampaigns: boolean }, placeholder: PlaceholderOf<keyof BoardOf | "limit">) =>
    selectWith(
      sql`location AS MATERIALIZED ${query
        .select(pick(visibleStores, "key", "account_key"))
        .from(visibleStores)
        .where(eq(visibleStores.id, placeholder("locationId")))},
    campaign AS MATERIALIZED (
      SELECT ${visibleEipCampaigns.key} AS key
      FROM location CROSS JOIN ${visibleEipCampaigns} ON ${visibleEipCampaigns.account_key} = location.account_key
      WHERE ${shape.inAllCampaigns ? visibleEipCampaigns.is_running : eq(visibleEipCampaigns.id, placeholder("campaignId"))}
    ),
    total AS MATERIALIZED (${EMPLOYEE_TOTALS}),
    leader AS (${sql.join(
      ["runs", "hits", "doubles", "triples"].map((total) => selectFirst(sql.raw(total), placeholder("limit"))),
      sql` UNION `,
    )})`,
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
      ORDER BY ${employees.name}, ${employees.id}`,
    ),
);

/** The first employees by a total. Names decide among equal totals, so they are read of those who reach the last total. */
function selectFirst(total: SQL, limit: Placeholder): SQL {
  const last = sql`(SELECT ${total} FROM total ORDER BY ${total} DESC LIMIT 1 OFFSET ${limit} - 1)`;
  return sql`SELECT * FROM (
    SELECT total.* FROM total CROSS JOIN ${employees} ON ${employees.key} = total.key
    WHERE total.${total} >= coalesce(${last}, total.${total})
    ORDER BY total.${total} DESC, ${employees.name}, ${employees.id} ${limitTo(limit)}
  )`;
}

/** Uses `total()`, because `sum()` fails if many campaigns together exceed an integer. */
const EMPLOYEE_TOTALS = select(
  {
    key: playTotals.employee_key,
    runs: sql`total(${playTotals.runs})`,
    hits: sql`total(${playTotals.hits})`,
    doubles: sql`total(${playTotals.doubles})`,
    triples: sql`total(${playTotals.triples})`,
  },
  sql`FROM location CROSS JOIN campaign
    CROSS JOIN ${playTotals} ON ${playTotals.location_key} = location.key AND ${playTotals.eip_campaign_key} = campaign.key
    WHERE NOT EXISTS (
      SELECT 1 FROM ${employees} INDEXED BY employees_deleted
      WHERE ${employees.deleted} = 1 AND ${employees.key} = ${playTotals.employee_key}
    )
    GROUP BY ${playTotals.employee_key}`,
);
