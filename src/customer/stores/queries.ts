import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, writtenOnce } from "../../db/database.ts";
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
  const { customerId, storeId, rootId, level, page } = query;
  const statements = rootId === customerId ? OWN_TEAM : TEAM_OF_A_MEMBER;
  const values = { customerId, storeId, rootId, from: level ?? 1, to: level ?? 5, ...page, limit: page.limit + 1 };
  const [[found] = [], rows = []] = await db.batch(statements.map((statement) => statement(values)));
  return {
    isStore: found?.is_store === 1,
    isRoot: found?.is_root === 1 || rootId === customerId,
    ...cutPage((rows as unknown[] as TeamRow[]).map(toMember), page),
  };
}

type Value = (name: "customerId" | "storeId" | "rootId" | "from" | "to" | "limit" | "offset") => Placeholder;

const OWN_TEAM = teamStatements(
  (value) => sql`SELECT ${memberships.customerId} FROM ${memberships} WHERE ${caller(value)}`,
);

const TEAM_OF_A_MEMBER = teamStatements(
  (value) => sql`
    SELECT ${teamLinks.descendantId}
    FROM ${memberships}
    CROSS JOIN ${customers} ON ${customers.id} = ${value("rootId")}
    CROSS JOIN ${teamLinks}
      ON ${teamLinks.storeId} = ${value("storeId")} AND ${teamLinks.ancestorId} = ${value("customerId")}
      AND ${teamLinks.joined} = 1 AND ${teamLinks.depth} IN (1, 2, 3, 4, 5)
      AND ${teamLinks.name} = ${customers.name} AND ${teamLinks.descendantId} = ${value("rootId")}
    WHERE ${caller(value)}`,
);

/** Whether the caller is a member now. */
function caller(value: Value): SQL {
  return sql`${memberships.storeId} = ${value("storeId")} AND ${memberships.customerId} = ${value("customerId")}
    AND ${memberships.joined} = 1`;
}

/** What is known of the store and the root, and the team. `rootOf` is the id of the root, if the caller may see it. */
function teamStatements(rootOf: (value: Value) => SQL) {
  const head = writtenOnce<Parameters<Value>[0]>(
    (value) => sql`
      WITH root(id) AS (${rootOf(value)})
      SELECT ${isStore(value("storeId"))} AS is_store, EXISTS (SELECT 1 FROM root) AS is_root`,
  );
  // The page is cut from the links alone, so that what is skipped costs one row each.
  const members = writtenOnce<Parameters<Value>[0]>(
    (value) => sql`
      WITH root(id) AS (${rootOf(value)})
      SELECT
        link.descendant_id AS id, link.name AS name, ${customers.customerDescription} AS customer_description,
        ${friendStatus(value("customerId"), sql`link.descendant_id`)} AS friend_status,
        ${STORES_JOINED} AS team_store_count, ${customers.avatar} AS avatar,
        coalesce(${storeBalances.balance}, 0) / 100.0 AS total_balance, link.depth AS current_level,
        ${sql.join([1, 2, 3, 4, 5].map(levelTotals), sql`, `)}
      FROM (
        SELECT ${teamLinks.depth} AS depth, ${teamLinks.name} AS name, ${teamLinks.descendantId} AS descendant_id
        FROM ${teamLinks}
        WHERE ${teamLinks.storeId} = ${value("storeId")} AND ${teamLinks.ancestorId} = (SELECT id FROM root)
          AND ${teamLinks.joined} = 1 AND ${teamLinks.depth} BETWEEN ${value("from")} AND ${value("to")}
        ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendantId}
        ${limitTo(value("limit"))} OFFSET ${value("offset")}
      ) AS link
      CROSS JOIN ${memberships}
        ON ${memberships.storeId} = ${value("storeId")} AND ${memberships.customerId} = link.descendant_id
      CROSS JOIN ${customers} ON ${customers.id} = link.descendant_id
      LEFT JOIN ${storeBalances}
        ON ${storeBalances.storeId} = ${value("storeId")} AND ${storeBalances.customerId} = link.descendant_id
      ORDER BY link.depth, link.name, link.descendant_id`,
  );
  return [head, members];
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
