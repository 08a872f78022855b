import { sql } from "drizzle-orm";
import type { TeamMember } from "../../../src/customer/stores/schema.ts";
import type { Database } from "../../../src/db/database.ts";
import { friendStatus } from "../../../src/domain/friendships.ts";
import type { Page } from "../../../src/http/paging.ts";

interface TeamQuery {
  storeId: string;
  customerId: string;
  page: Page;
}

type Row = Omit<TeamMember, "levels"> & { levels: string };

const [STORE, CALLER] = [sql.raw("(SELECT key FROM store)"), sql.raw("(SELECT key FROM caller)")];

/**
 * The naive query: a walk down the referrals for the team, another below each member, and what was earned summed up.
 * The joins are crossed so that SQLite walks downwards: else it scans the store at every step.
 */
export async function team(db: Database, { storeId, customerId, page }: TeamQuery): Promise<TeamMember[]> {
  const rows = await db.all(sql<Row>`
    WITH RECURSIVE
    store(key) AS MATERIALIZED (SELECT key FROM stores WHERE id = ${storeId}),
    caller(key) AS MATERIALIZED (SELECT key FROM customers WHERE id = ${customerId}),
    team(key, depth) AS (
      SELECT customer_key, 0 FROM memberships WHERE store_key = ${STORE} AND customer_key = ${CALLER} AND joined = 1
      UNION ALL
      SELECT m.customer_key, team.depth + 1
      FROM team CROSS JOIN memberships AS m ON m.store_key = ${STORE} AND m.referrer_key = team.key
      WHERE team.depth < 5
    ),
    page AS MATERIALIZED (
      SELECT
        customers.key, customers.id, customers.name, customers.customer_description, customers.avatar, team.depth
      FROM team
      CROSS JOIN memberships AS m ON m.store_key = ${STORE} AND m.customer_key = team.key AND m.joined = 1
      CROSS JOIN customers ON customers.key = team.key
      WHERE team.depth > 0
      ORDER BY team.depth, customers.name, customers.id
      LIMIT ${page.limit} OFFSET ${page.offset}
    ),
    below(root, key, depth, joined) AS (
      SELECT key, key, 0, 1 FROM page
      UNION ALL
      SELECT below.root, m.customer_key, below.depth + 1, m.joined
      FROM below CROSS JOIN memberships AS m ON m.store_key = ${STORE} AND m.referrer_key = below.key
      WHERE below.depth < 5
    ),
    members AS MATERIALIZED (SELECT root, depth, sum(joined) AS members FROM below GROUP BY root, depth),
    earned AS MATERIALIZED (
      SELECT customer_key, level_no, sum(tokens) AS tokens
      FROM token_earnings
      WHERE store_key = ${STORE} AND customer_key IN (SELECT key FROM page)
      GROUP BY customer_key, level_no
    )
    SELECT
      page.id, page.name, page.customer_description, ${friendStatus(CALLER, sql`page.key`)} AS friend_status,
      (SELECT count(*) FROM memberships WHERE customer_key = page.key AND joined = 1) AS team_store_count,
      page.avatar,
      coalesce((
        SELECT sum(amount) FROM balance_entries WHERE store_key = ${STORE} AND customer_key = page.key
      ), 0) / 100.0 AS total_balance,
      page.depth AS current_level,
      (
        SELECT json_group_array(json_object(
          'level_no', level.value,
          'total_members', coalesce(
            (SELECT members FROM members WHERE members.root = page.key AND members.depth = level.value), 0),
          'total_tokens_earned', coalesce(
            (SELECT tokens FROM earned WHERE earned.customer_key = page.key AND level_no = level.value), 0) / 100.0
        )) FROM json_each('[1, 2, 3, 4, 5]') AS level
      ) AS levels
    FROM page
    ORDER BY page.depth, page.name, page.id`);
  return rows.map((row) => ({ ...row, levels: JSON.parse(row.levels) as TeamMember["levels"] }));
}
