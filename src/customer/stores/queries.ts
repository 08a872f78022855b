import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database, RowOf } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { joinWithCommas, limitTo, pick, select } from "../../db/select.ts";
import type { Page } from "../../http/paging.ts";
import { storeBalances } from "../../records/balance-entry.ts";
import { customers } from "../../records/customer.ts";
import { LEVELS, memberships, teamLinks } from "../../records/membership.ts";
import { visibleCustomers, visibleStores } from "../../records/views.ts";
import { friendStatus } from "../rules.ts";
import type { TeamMember } from "./operations.ts";

interface TeamQuery {
  customerId: string;
  storeId: string;
  /** The customer whose team to list: the caller, or a member of the caller's team. */
  rootId: string;
  /** Only this depth; undefined: all. */
  level: number | undefined;
  page: Page;
}

/**
 * The members of a store 1 to 5 levels below the root, by depth, name and id (docs/contract/interface.md, 4.3). A page costs
 * the same in every team, because each membership holds the totals of its levels.
 */
export async function findTeam(db: Database, query: TeamQuery) {
  const { customerId, storeId, rootId, level, page } = query;
  const values = { customerId, storeId, rootId, from: level ?? 1, to: level ?? 5, ...page, limit: page.limit + 1 };
  const [[found], rows] = await db.batch([selectStore(values), selectMembers(values)]);
  return {
    hasStore: found !== undefined,
    /** Whether the root is the caller, or is a member of the store and of the caller's team. */
    isRootInCallersTeam: found?.isRootInCallersTeam === 1,
    items: rows.slice(0, page.limit).map(toMember),
    hasMore: rows.length > page.limit,
  };
}

type Placeholders = PlaceholderOf<"customerId" | "storeId" | "rootId" | "from" | "to" | "limit" | "offset">;

/** The members and tokens of each level, in one column: D1 takes time for every column of a row. */
const LEVEL_TOTALS = sql<string>`json_array(${joinWithCommas(
  LEVELS.map((level) => sql`json_array(${memberships[`members_${level}`]}, ${memberships[`tokens_${level}`]})`),
)})`;

const caller = alias(customers, "caller");
const root = alias(customers, "root");
const callerMembership = alias(memberships, "caller_membership");
const rootLink = alias(teamLinks, "root_link");

/** The caller with their membership. `+` makes SQLite use the primary key, which gives one row at most. */
function callerAt(placeholder: Placeholders): SQL {
  return sql`${customers} AS ${caller}
    CROSS JOIN ${memberships} AS ${callerMembership} ON ${caller.id} = ${placeholder("customerId")}
      AND ${callerMembership.store_key} = ${visibleStores.key} AND ${callerMembership.customer_key} = ${caller.key} AND +${callerMembership.joined} = 1`;
}

/**
 * The link from the caller to the root, by its whole key, which has the name before the id. The levels are a list, because the
 * values of an `IN` count as rows read.
 */
function linkToRoot(placeholder: Placeholders): SQL {
  return sql`${customers} AS ${root}
    CROSS JOIN (VALUES (1), (2), (3), (4), (5)) AS level
    CROSS JOIN ${teamLinks} AS ${rootLink} ON ${root.id} = ${placeholder("rootId")}
      AND ${rootLink.store_key} = ${callerMembership.store_key} AND ${rootLink.ancestor_key} = ${callerMembership.customer_key}
      AND ${rootLink.joined} = 1 AND ${rootLink.depth} = level.column1
      AND ${rootLink.name} = ${root.name} AND ${rootLink.descendant_id} = ${root.id}`;
}

const isCaller = (placeholder: Placeholders) => sql`${placeholder("rootId")} = ${placeholder("customerId")}`;

const selectStore = compileOnce("stores/team/store", (placeholder: Placeholders) => {
  const isLinked = sql`EXISTS (SELECT 1 FROM ${callerAt(placeholder)} CROSS JOIN ${linkToRoot(placeholder)})`;
  return query
    .select({ isRootInCallersTeam: sql<0 | 1>`iif(${isCaller(placeholder)}, 1, ${isLinked})` })
    .from(visibleStores)
    .where(eq(visibleStores.id, placeholder("storeId")));
});

/** The joins look up each key once. A common table expression would cost one more row wherever it is read. */
const selectMembers = compileOnce("stores/team/members", (placeholder: Placeholders) => {
  const rootKey = sql`iif(${isCaller(placeholder)}, ${callerMembership.customer_key}, (SELECT ${rootLink.descendant_key} FROM ${linkToRoot(placeholder)}))`;
  // The page is cut from the links alone, so that each skipped member costs one row.
  const page = select(
    { caller: caller.key, ...pick(teamLinks, "store_key", "depth", "name", "descendant_id", "descendant_key") },
    sql`
      FROM ${visibleStores}
      CROSS JOIN ${callerAt(placeholder)}
      CROSS JOIN ${teamLinks} ON ${teamLinks.store_key} = ${callerMembership.store_key}
        AND ${teamLinks.ancestor_key} = ${rootKey} AND ${teamLinks.joined} = 1
        AND ${teamLinks.depth} BETWEEN ${placeholder("from")} AND ${placeholder("to")}
      WHERE ${visibleStores.id} = ${placeholder("storeId")}
      ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendant_id}
      ${limitTo(placeholder("limit"))} OFFSET ${placeholder("offset")}`,
  );
  return select(
    {
      id: teamLinks.descendant_id,
      name: teamLinks.name,
      customer_description: visibleCustomers.customer_description,
      friend_status: friendStatus(sql`team_links.caller`, sql`${visibleCustomers.key}`),
      team_store_count: visibleCustomers.stores_joined,
      avatar: visibleCustomers.avatar,
      total_balance: sql<number>`coalesce(${storeBalances.balance}, 0)`,
      current_level: teamLinks.depth,
      levels: LEVEL_TOTALS,
    },
    sql`
      FROM (${page}) AS ${teamLinks}
      CROSS JOIN ${memberships} ON ${memberships.store_key} = ${teamLinks.store_key}
        AND ${memberships.customer_key} = ${teamLinks.descendant_key}
      CROSS JOIN ${visibleCustomers} ON ${visibleCustomers.key} = ${teamLinks.descendant_key}
      LEFT JOIN ${storeBalances} ON ${storeBalances.store_key} = ${teamLinks.store_key}
        AND ${storeBalances.customer_key} = ${teamLinks.descendant_key}
      ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendant_id}`,
  );
});

function toMember(row: RowOf<ReturnType<typeof selectMembers>>): TeamMember {
  const totals: [members: number, tokens: number][] = JSON.parse(row.levels);
  const levels = totals.map(([total_members, tokens], index) => ({
    level_no: index + 1,
    total_members,
    total_tokens_earned: tokens / 100,
  }));
  return { ...row, total_balance: row.total_balance / 100, levels };
}
