import { eq, sql } from "drizzle-orm";
import { compilePer, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { pick, select, selectWith } from "../../db/select.ts";
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

/** An empty board has one row, which says whether the board is known; its other columns are NULL. */
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
    ranked AS (
      SELECT *,
        row_number() OVER (ORDER BY runs DESC, name, id) AS by_runs,
        row_number() OVER (ORDER BY hits DESC, name, id) AS by_hits,
        row_number() OVER (ORDER BY doubles DESC, name, id) AS by_doubles,
        row_number() OVER (ORDER BY triples DESC, name, id) AS by_triples
      FROM total
    )`,
      {
        known: sql<0 | 1>`known`,
        id: sql<string | null>`ranked.id`,
        name: sql<string>`ranked.name`,
        avatar: sql<string>`ranked.avatar`,
        runs: sql<number>`ranked.runs`,
        hits: sql<number>`ranked.hits`,
        doubles: sql<number>`ranked.doubles`,
        triples: sql<number>`ranked.triples`,
      },
      sql`FROM (SELECT EXISTS (SELECT 1 FROM ${shape.inAllCampaigns ? sql`location` : sql`campaign`}) AS known)
      LEFT JOIN ranked ON min(by_runs, by_hits, by_doubles, by_triples) <= ${placeholder("limit")}
      ORDER BY ranked.name, ranked.id`,
    ),
);

/** Uses `total()`, because `sum()` fails if many campaigns together exceed an integer. */
const EMPLOYEE_TOTALS = select(
  {
    ...pick(employees, "id", "name", "avatar"),
    runs: sql`total(${playTotals.runs})`,
    hits: sql`total(${playTotals.hits})`,
    doubles: sql`total(${playTotals.doubles})`,
    triples: sql`total(${playTotals.triples})`,
  },
  sql`FROM location CROSS JOIN campaign
    CROSS JOIN ${playTotals} ON ${playTotals.location_key} = location.key AND ${playTotals.eip_campaign_key} = campaign.key
    CROSS JOIN ${employees} ON ${employees.key} = ${playTotals.employee_key}
    WHERE ${employees.deleted} = 0
    GROUP BY ${employees.key}`,
);
