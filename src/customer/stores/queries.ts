import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { friendStatus } from "../../db/friend-status.ts";
import { limitTo } from "../../db/limit.ts";
import { isStore, STORES_JOINED } from "../../db/set-aside.ts";
import { customers, memberships, storeBalances, teamLinks } from "../../db/tables.ts";
import { cutPage, type Page, type Paged } from "../../http/paging.ts";
import type { TeamMember } from "./schema.ts";

export interface TeamQuery {
  customerId: string;
  storeId: string;
  /** Whose team: the caller's own, or that of a member of it. */
  rootId: string;
  /** This depth only; left out: all. */
  level: number | undefined;
  page: Page;
}

export interface Team extends Paged<TeamMember> {
  /** Whether there is such a store. */
  isStore: boolean;
  /** Whether the root is the caller, or a member now and in the caller's team. */
  isRoot: boolean;
}

type Levels<Total extends string> = { [level in `${Total}_${1 | 2 | 3 | 4 | 5}`]: number };
type TeamRow = Omit<TeamMember, "levels"> & Levels<"members"> & Levels<"tokens">;

/**
 * Those 1 to 5 levels below the root at a store who are members now, by depth, name and id (decisions.md, 4.3). One
 * round trip; a page costs the same in every team, because each level's totals are kept with the membership.
 */
export async function findTeam(db: Database, query: TeamQuery): Promise<Team> {
  const [[found] = [], rows = []] = await db.batch([
    sql`WITH ${rootOf(query)} SELECT ${isStore(query.storeId)} AS is_store, EXISTS (SELECT 1 FROM root) AS is_root`,
    selectTeam(query),
  ]);
  return {
    isStore: found?.is_store === 1,
    isRoot: found?.is_root === 1 || query.rootId === query.customerId,
    ...cutPage((rows as unknown[] as TeamRow[]).map(toMember), query.page),
  };
}

function selectTeam(query: TeamQuery): SQL {
  const { customerId, storeId, level, page } = query;
  const depth = level === undefined ? sql`` : sql` AND ${teamLinks.depth} = ${level}`;
  // The page is cut from the links alone, so that what is skipped costs one row each.
  return sql`
    WITH ${rootOf(query)}
    SELECT
      link.descendant_id AS id, link.name AS name, ${customers.customerDescription} AS customer_description,
      ${friendStatus(customerId, sql`link.descendant_id`)} AS friend_status,
      ${STORES_JOINED} AS team_store_count, ${customers.avatar} AS avatar,
      coalesce(${storeBalances.balance}, 0) / 100.0 AS total_balance, link.depth AS current_level,
      ${sql.join([1, 2, 3, 4, 5].map(levelTotals), sql`, `)}
    FROM (
      SELECT ${teamLinks.depth} AS depth, ${teamLinks.name} AS name, ${teamLinks.descendantId} AS descendant_id
      FROM ${teamLinks}
      WHERE ${teamLinks.storeId} = ${storeId} AND ${teamLinks.ancestorId} = (SELECT id FROM root)
        AND ${teamLinks.joined} = 1${depth}
      ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendantId}
      ${limitTo(page.limit + 1)} OFFSET ${page.offset}
    ) AS link
    CROSS JOIN ${memberships}
      ON ${memberships.storeId} = ${storeId} AND ${memberships.customerId} = link.descendant_id
    CROSS JOIN ${customers} ON ${customers.id} = link.descendant_id
    LEFT JOIN ${storeBalances}
      ON ${storeBalances.storeId} = ${storeId} AND ${storeBalances.customerId} = link.descendant_id
    ORDER BY link.depth, link.name, link.descendant_id`;
}

/** `root AS (…)`: the id of the member whose team it is, if the caller may see it. */
function rootOf({ customerId, storeId, rootId }: TeamQuery): SQL {
  const caller = sql`${memberships.storeId} = ${storeId} AND ${memberships.customerId} = ${customerId}
    AND ${memberships.joined} = 1`;
  if (rootId === customerId) {
    return sql`root(id) AS (SELECT ${memberships.customerId} FROM ${memberships} WHERE ${caller})`;
  }
  return sql`root(id) AS (
    SELECT ${teamLinks.descendantId}
    FROM ${memberships}
    CROSS JOIN ${customers} ON ${customers.id} = ${rootId}
    CROSS JOIN ${teamLinks}
      ON ${teamLinks.storeId} = ${storeId} AND ${teamLinks.ancestorId} = ${customerId} AND ${teamLinks.joined} = 1
      AND ${teamLinks.depth} IN (1, 2, 3, 4, 5) AND ${teamLinks.name} = ${customers.name}
      AND ${teamLinks.descendantId} = ${rootId}
    WHERE ${caller}
  )`;
}

function levelTotals(level: number): SQL {
  return sql.raw(["members", "tokens"].map((total) => `memberships.${total}_${level} AS ${total}_${level}`).join(", "));
}

function toMember(row: TeamRow): TeamMember {
  const { id, name, customer_description, friend_status, team_store_count, avatar, total_balance, current_level } = row;
  const levels = ([1, 2, 3, 4, 5] as const).map((level) => ({
    level_no: level,
    total_members: row[`members_${level}`],
    total_tokens_earned: row[`tokens_${level}`] / 100,
  }));
  return {
    id,
    name,
    customer_description,
    friend_status,
    team_store_count,
    avatar,
    total_balance,
    current_level,
    levels,
  };
}
