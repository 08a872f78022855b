import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { isAfter } from "../../db/cut.ts";
import type { Database, RowOf } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { joinWithCommas, limitTo, pick, select } from "../../db/select.ts";
import type { Page } from "../../http/paging.ts";
import { storeBalances } from "../../records/balance-entry.ts";
import { customerKeyOf, customers, memberKeyOf } from "../../records/customer.ts";
import { LEVELS, memberships, teamLinks } from "../../records/membership.ts";
import { visibleCustomers, visibleStores } from "../../records/views.ts";
import { friendStatus } from "../rules.ts";
import type { TeamMember } from "./schema.ts";

/** A place before all members of a team, or of one level. */
export const beginningOf = (level = 1) => ({ depth: level, name: "", id: "" });

interface TeamQuery {
  customerId: string;
  storeId: string;
  /** The customer whose team to list: the caller, or a member of the caller's team. */
  rootId: string;
  /** Only this depth; undefined: all. */
  level: number | undefined;
  page: Page<ReturnType<typeof beginningOf>>;
}

/**
 * The members of a store 1 to 5 levels below the root, by depth, name and id (docs/contract/interface.md, 4.3). A page costs
 * the same in every team, because each membership holds the totals of its levels.
 */
export async function findTeam(db: Database, { customerId, storeId, rootId, level, page }: TeamQuery) {
  const { limit, offset, after } = page;
  const values = { customerId, storeId, rootId, from: level ?? 1, to: level ?? 5, limit, offset, ...after };
  const [[found], rows] = await db.batch([selectStore(values), selectMembers(values)]);
  return {
    hasStore: found !== undefined,
    /** Whether the root is the caller, or is a member of the store and of the caller's team. */
    isRootInCallersTeam: found?.isRootInCallersTeam === 1,
    members: rows.map(toMember),
  };
}

type Placeholders = PlaceholderOf<
  "customerId" | "storeId" | "rootId" | "from" | "to" | "limit" | "offset" | keyof ReturnType<typeof beginningOf>
>;

/** The members and tokens of each level, in one column: D1 takes time for every column of a row. */
const LEVEL_TOTALS = sql<string>`json_array(${joinWithCommas(
  LEVELS.map((level) => sql`json_array(${memberships[`members_${level}`]}, ${memberships[`tokens_${level}`]})`),
)})`;

const root = alias(customers, "root");
const rootMembership = alias(memberships, "root_membership");

/** A customer who is a member of the store. `+` makes SQLite use the primary key, which gives one row at most. */
const isMember = (memberKey: SQL) => sql`${rootMembership.store_key} = ${visibleStores.key}
  AND ${rootMembership.member_key} = ${memberKey} AND +${rootMembership.joined} = 1`;

const selectStore = compileOnce("stores/team/store", (placeholder: Placeholders) => {
  const callerKey = memberKeyOf(placeholder("customerId"));
  // The link from the caller to the root, by its whole key, which has the name before the id.
  const isLinked = sql`EXISTS (
    SELECT 1 FROM ${memberships} AS ${rootMembership}
    CROSS JOIN ${customers} AS ${root} ON ${root.id} = ${placeholder("rootId")}
    CROSS JOIN ${teamLinks} ON ${teamLinks.store_key} = ${visibleStores.key}
      AND ${teamLinks.ancestor_key} = ${callerKey} AND ${teamLinks.joined} = 1
      AND ${inArray(teamLinks.depth, [...LEVELS])}
      AND ${teamLinks.name} = ${root.name} AND ${teamLinks.descendant_id} = ${root.id}
      AND ${teamLinks.descendant_key} = ${root.member_key}
    WHERE ${isMember(callerKey)}
  )`;
  const isCaller = sql`${placeholder("rootId")} = ${placeholder("customerId")}`;
  return query
    .select({ isRootInCallersTeam: sql<0 | 1>`iif(${isCaller}, 1, ${isLinked})` })
    .from(visibleStores)
    .where(eq(visibleStores.id, placeholder("storeId")));
});

/** The team of the root. `selectStore` says whether the caller may see it. */
const selectMembers = compileOnce("stores/team/members", (placeholder: Placeholders) => {
  const rootKey = memberKeyOf(placeholder("rootId"));
  // The page is cut from the links alone, so that each skipped member costs one row.
  const page = select(
    pick(teamLinks, "store_key", "depth", "name", "descendant_id", "descendant_key"),
    sql`
      FROM ${visibleStores}
      CROSS JOIN ${memberships} AS ${rootMembership} ON ${isMember(rootKey)}
      CROSS JOIN ${teamLinks} ON ${teamLinks.store_key} = ${visibleStores.key}
        AND ${teamLinks.ancestor_key} = ${rootMembership.member_key} AND ${teamLinks.joined} = 1
        AND ${teamLinks.depth} BETWEEN ${placeholder("from")} AND ${placeholder("to")}
        AND ${isAfter([
          { column: teamLinks.depth, after: placeholder("depth") },
          { column: teamLinks.name, after: placeholder("name") },
          { column: teamLinks.descendant_id, after: placeholder("id") },
        ])}
      WHERE ${visibleStores.id} = ${placeholder("storeId")}
      ORDER BY ${teamLinks.depth}, ${teamLinks.name}, ${teamLinks.descendant_id}
      ${limitTo(sql`1 + ${placeholder("limit")}`)} OFFSET ${placeholder("offset")}`,
  );
  return select(
    {
      id: teamLinks.descendant_id,
      name: teamLinks.name,
      customer_description: visibleCustomers.customer_description,
      friend_status: friendStatus(customerKeyOf(placeholder("customerId")), sql`${visibleCustomers.key}`),
      team_store_count: visibleCustomers.stores_joined,
      avatar: visibleCustomers.avatar,
      total_balance: sql<number>`coalesce(${storeBalances.balance}, 0)`,
      current_level: teamLinks.depth,
      levels: LEVEL_TOTALS,
    },
    sql`
      FROM (${page}) AS ${teamLinks}
      CROSS JOIN ${memberships} ON ${memberships.store_key} = ${teamLinks.store_key}
        AND ${memberships.member_key} = ${teamLinks.descendant_key}
      CROSS JOIN ${visibleCustomers} ON ${visibleCustomers.key} = ${memberships.customer_key}
      LEFT JOIN ${storeBalances} ON ${storeBalances.store_key} = ${teamLinks.store_key}
        AND ${storeBalances.customer_key} = ${memberships.customer_key}
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
