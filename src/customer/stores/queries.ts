import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { customers, memberships, storeBalances, stores, teamLinks } from "../../db/tables/index.ts";
import { friendStatus } from "../../domain/friendships.ts";
import { countStoresJoined, isStore } from "../../domain/stores.ts";
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
 * Those 1 to 5 levels below the root at a store who are members now, by depth, name and id (docs/contract/interface.md,
 * 4.3). One round trip; a page costs the same in every team, because each level's totals stand in the membership.
 */
export async function findTeam(db: Database, query: TeamQuery): Promise<Team> {
  const { customerId, storeId, rootId, level, page } = query;
  const statements = rootId === customerId ? OWN_TEAM : TEAM_OF_A_MEMBER;
  const values = { customerId, storeId, rootId, from: level ?? 1, to: level ?? 5, ...page, limit: page.limit + 1 };
  const [[found] = [], rows = []] = await db.batch(statements.map((statement) => statement(values)));
  return {
    isStore: found !== undefined,
    isRoot: found?.is_root === 1 || rootId === customerId,
    ...cutPage((rows as unknown[] as TeamRow[]).map(toMember), page),
  };
}

type Value = (name: "customerId" | "storeId" | "rootId" | "from" | "to" | "limit" | "offset") => Placeholder;

const OWN_TEAM = teamStatements({ isRoot: () => sql`1`, rootKey: () => sql`own.customer_key` });

const TEAM_OF_A_MEMBER = teamStatements({
  isRoot: (value) => sql`EXISTS (
    SELECT 1 FROM ${callerAt(sql`${stores.key}`, value)} CROSS JOIN ${linkToRoot(value)}
  )`,
  rootKey: (value) => sql`(SELECT link.descendant_key FROM ${linkToRoot(value)})`,
});

/** The caller, where the caller is a member now. By the primary key, so that this is known to be one row at most. */
function callerAt(storeKey: SQL, value: Value): SQL {
  return sql`${customers} AS caller
    CROSS JOIN ${memberships} AS own ON caller.id = ${value("customerId")}
      AND own.store_key = ${storeKey} AND own.customer_key = caller.key AND +own.joined = 1`;
}

/** The link from the caller to the root. The levels come from a list, because those of an `IN` count as rows read. */
function linkToRoot(value: Value): SQL {
  return sql`${customers} AS root
    CROSS JOIN (VALUES (1), (2), (3), (4), (5)) AS level
    CROSS JOIN ${teamLinks} AS link ON root.id = ${value("rootId")}
      AND link.store_key = own.store_key AND link.ancestor_key = own.customer_key AND link.joined = 1
      AND link.depth = level.column1 AND link.name = root.name AND link.descendant_id = root.id`;
}

/**
 * The store, if there is one, with whether the caller may see the root; and the team. Each key is looked up once and
 * carried along by the joins: a common table expression would be a row more wherever it is read.
 */
function teamStatements({ isRoot, rootKey }: Record<"isRoot" | "rootKey", (value: Value) => SQL>) {
  const head = compileOnce<Parameters<Value>[0]>(
    (value) => sql`SELECT ${isRoot(value)} AS is_root FROM ${stores} WHERE ${isStore(value("storeId"))}`,
  );
  const customerKey = sql`${customers.key}`;
  // The page is cut from the links alone, so that what is skipped costs one row each.
  const members = compileOnce<Parameters<Value>[0]>(
    (value) => sql`
      SELECT
        link.id AS id, link.name AS name, ${customers.customerDescription} AS customer_description,
        ${friendStatus(sql`link.caller`, customerKey)} AS friend_status,
        ${countStoresJoined({ customerKey, storesCount: sql`${customers.storesCount}` })} AS team_store_count,
        ${customers.avatar} AS avatar,
        coalesce(${storeBalances.balance}, 0) / 100.0 AS total_balance, link.depth AS current_level,
        ${sql.join([1, 2, 3, 4, 5].map(levelTotals), sql`, `)}
      FROM (
        SELECT
          caller.key AS caller, ${teamLinks.storeKey} AS store_key, ${teamLinks.depth} AS depth,
          ${teamLinks.name} AS name, ${teamLinks.descendantId} AS id, ${teamLinks.descendantKey} AS key
        FROM ${stores}
        CROSS JOIN ${callerAt(sql`${stores.key}`, value)}
        CROSS JOIN ${teamLinks} ON ${teamLinks.storeKey} = own.store_key
          AND ${teamLinks.ancestorKey} = ${rootKey(value)} AND ${teamLinks.joined} = 1
          AND ${teamLinks.depth} BETWEEN ${value("from")} AND ${value("to")}
        WHERE ${stores.id} = ${value("storeId")}
        ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendantId}
        ${limitTo(value("limit"))} OFFSET ${value("offset")}
      ) AS link
      CROSS JOIN ${memberships} ON ${memberships.storeKey} = link.store_key AND ${memberships.customerKey} = link.key
      CROSS JOIN ${customers} ON ${customers.key} = link.key
      LEFT JOIN ${storeBalances}
        ON ${storeBalances.storeKey} = link.store_key AND ${storeBalances.customerKey} = link.key
      ORDER BY link.depth, link.name, link.id`,
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
