import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { limitTo, pick, select } from "../../db/select.ts";
import { requests } from "../../db/tables.ts";
import type { Request } from "./schema.ts";

const REQUESTS_A_PAGE = 500;
/** How many rows of the journal a page looks at. The journal has no index but its version. */
const LOOKED_AT_ROWS = 20_000;

interface RequestsQuery {
  from?: string | undefined;
  to?: string | undefined;
  subject?: string | undefined;
  /** Only requests with a greater version. */
  after: number;
}

/**
 * The requests that were stored between these times by this system, oldest first (docs/contract/requests.md, 2); and the
 * version after which the next page begins, if there may be one. One round trip.
 */
export async function findRequests(
  db: Database,
  { from = "", to, subject, after }: RequestsQuery,
): Promise<{ items: Request[]; next: number | undefined }> {
  const columns = pick(requests, "version", "at", "source", "subject", "lines");
  const isAskedFor = and(
    gte(requests.at, from),
    to === undefined ? undefined : lte(requests.at, to),
    subject === undefined ? undefined : eq(requests.subject, subject),
  );
  const [items, [lastLookedAt]] = await db.batch([
    select(columns, sql`FROM ${lookedAt(sql`${after}`)} WHERE ${isAskedFor} ${limitTo(REQUESTS_A_PAGE)}`),
    select(
      pick(requests, "version"),
      sql`FROM ${lookedAt(sql`${after}`)} LIMIT 1 OFFSET ${sql.raw(String(LOOKED_AT_ROWS - 1))}`,
    ),
  ]);
  return { items, next: items[REQUESTS_A_PAGE - 1]?.version ?? lastLookedAt?.version };
}

/** The version of the last row of the journal; 0: it has none. The last request may have no row. */
export const LAST_VERSION = sql<number>`(SELECT coalesce(max(${requests.version}), 0) FROM ${requests})`;

/** The next rows of the journal after a version, under its name. */
export function lookedAt(version: SQL): SQL {
  const rows = sql`SELECT * FROM ${requests} WHERE ${requests.version} > ${version} ORDER BY ${requests.version}`;
  return sql`(${rows} ${limitTo(LOOKED_AT_ROWS)}) AS ${requests}`;
}
