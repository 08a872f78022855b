import { type AnyColumn, getTableName, type SQL, sql } from "drizzle-orm";
import type { Total } from "../../src/db/derived/totals.ts";
import { joinWithCommas } from "../../src/db/select.ts";
import {
  balancesAtStores,
  customerBalances,
  earningsOfCampaigns,
  storeBalances,
} from "../../src/records/balance-entry.ts";
import { campaigns } from "../../src/records/campaign.ts";
import { customerCoupons } from "../../src/records/customer-coupon.ts";
import { LEVELS, memberships } from "../../src/records/membership.ts";
import { messages } from "../../src/records/message.ts";
import { messageGroupMembers, messageGroups } from "../../src/records/message-group.ts";
import { totalsOfPlays } from "../../src/records/play.ts";
import { redemptions, usesRedeemed } from "../../src/records/redemption.ts";
import { stores } from "../../src/records/store.ts";
import { teamTokens } from "../../src/records/token-earning.ts";
import type { Derived, KeyRange } from "./definition.ts";
import { DERIVED_WORDS } from "./derived-words.ts";

/** Sums of events. The feed adds new events to them. */
function ofTotal(
  { table, storedAs, events, keys, measures, selectSums }: Total,
  about: Pick<Derived, "name" | "over" | "absent">,
): Derived {
  const [firstKey] = Object.values(keys);
  return {
    ...about,
    table: getTableName(table),
    storedAs,
    key: Object.keys(keys),
    values: Object.keys(measures),
    expected: (range) => selectSums(sql`${events.table}`, sql`${firstKey} ${range}`),
  };
}

const redeemedUses: Derived = {
  ...ofTotal(usesRedeemed, { name: "redeemed uses of coupons", over: "customers" }),
  expected: (range) =>
    usesRedeemed.selectSums(sql`${redemptions}`, sql`${redemptions.customer_coupon_key} IN (${couponsOf(range)})`),
  stored: (range) =>
    sql`SELECT ${customerCoupons.id}, ${customerCoupons.redeemed} FROM ${customerCoupons}
      WHERE ${customerCoupons.id} IN (${couponsOf(range)})`,
};

/** The coupons of the customers in a range. */
function couponsOf(range: KeyRange): SQL {
  return sql`SELECT ${customerCoupons.id} FROM ${customerCoupons} WHERE ${customerCoupons.customer_key} ${range}`;
}

const listedStores: Derived = {
  name: "stores that campaigns list",
  over: "campaigns",
  table: "campaign_stores",
  storedAs: "rows",
  key: ["campaign_key", "store_key"],
  absent: "a difference",
  expected: (range) => sql`
    SELECT store.value AS store_key, ${campaigns.key} AS campaign_key
    FROM ${campaigns}, json_each(${campaigns.listed_stores}) AS store WHERE ${campaigns.key} ${range}`,
};

/** Counts soft-deleted stores too. */
const storesJoined: Derived = {
  name: "stores joined",
  over: "customers",
  table: "customers",
  storedAs: "columns",
  key: ["key"],
  values: ["stores_count"],
  expected: (range) => sql`
    SELECT ${memberships.customer_key} AS key, count(*) AS stores_count
    FROM ${memberships} WHERE ${memberships.customer_key} ${range} AND ${memberships.joined} = 1
    GROUP BY ${memberships.customer_key}`,
};

/** There is a row wherever a customer has a balance at a store of the account, or a membership, even of a former member. */
const holdings: Derived = {
  name: "what customers have at accounts",
  over: "customers",
  table: "customer_accounts",
  storedAs: "rows",
  absent: "a difference",
  key: ["customer_key", "account_key"],
  values: ["balance", "stores_count"],
  expected: (range) => sql`
    SELECT customer_key, ${stores.account_key} AS account_key, sum(balance) AS balance, sum(joined) AS stores_count
    FROM (
      SELECT customer_key, store_key, balance, 0 AS joined FROM ${storeBalances} WHERE customer_key ${range}
      UNION ALL
      SELECT customer_key, store_key, NULL, joined FROM ${memberships} WHERE customer_key ${range}
    ) AS at_store CROSS JOIN ${stores} ON ${stores.key} = at_store.store_key
    GROUP BY customer_key, ${stores.account_key}`,
};

/** The links between each member of a store and the members up to five levels below. */
const teamLinks: Derived = {
  name: "team links",
  over: "stores",
  table: "team_links",
  storedAs: "rows",
  absent: "a difference",
  key: ["store_key", "ancestor_key", "joined", "depth", "name", "descendant_id", "descendant_key"],
  expected: (range) => sql`SELECT * FROM expected_team_links WHERE store_key ${range}`,
};

const IN_MEMBERSHIPS = {
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  key: ["store_key", "member_key"],
} as const satisfies Partial<Derived>;

/** How many members are on each level below a member. */
const teamMembers: Derived = {
  ...IN_MEMBERSHIPS,
  name: "members of teams",
  values: LEVELS.map((level) => `members_${level}`),
  expected: (range) => sql`
    SELECT store_key, ancestor_key AS member_key,
      ${joinWithCommas(LEVELS.map((level) => sql.raw(`sum(joined AND depth = ${level}) AS members_${level}`)))}
    FROM expected_team_links WHERE store_key ${range} GROUP BY store_key, ancestor_key`,
};

/**
 * The round of an export in which a membership comes. An export gives a referrer before the members whom they referred. In
 * one round, this is the order of the customers' keys. So the round goes up by one for each referrer above the member whose
 * key is greater than the key of the member whom they referred.
 */
const membershipRounds: Derived = {
  ...IN_MEMBERSHIPS,
  name: "rounds of memberships",
  values: ["export_round"],
  expected: (range) => sql`
    WITH RECURSIVE above(store_key, member_key, ancestor_key, export_round) AS (
      SELECT ${memberships.store_key}, ${memberships.member_key}, ${memberships.member_key}, 0
      FROM ${memberships} WHERE ${memberships.store_key} ${range}
      UNION ALL
      SELECT above.store_key, above.member_key, ${memberships.referrer_member_key},
        above.export_round + (${memberships.referrer_member_key} > ${memberships.member_key})
      FROM above CROSS JOIN ${memberships}
        ON ${memberships.store_key} = above.store_key AND ${memberships.member_key} = above.ancestor_key
      WHERE ${memberships.referrer_member_key} IS NOT NULL
    )
    SELECT store_key, member_key, max(export_round) AS export_round FROM above GROUP BY store_key, member_key`,
};

/** The groups of each customer, with the time of the newest message that `message_groups` has. */
const messageGroupNews: Derived = {
  name: "groups by their news",
  over: "message_groups",
  table: "message_group_news",
  storedAs: "rows",
  absent: "a difference",
  key: ["group_key", "group_id", "customer_key", "newest_at"],
  expected: (range) => sql`
    SELECT ${messageGroupMembers.customer_key} AS customer_key, coalesce(${messageGroups.newest_at}, '') AS newest_at,
      ${messageGroups.id} AS group_id, ${messageGroups.key} AS group_key
    FROM ${messageGroupMembers} JOIN ${messageGroups} ON ${messageGroups.key} = ${messageGroupMembers.group_key}
    WHERE ${messageGroups.key} ${range}`,
};

/**
 * The newest message of a group that is not removed, and the newest message of an earlier second, which is shown until the
 * second of the newest is over. Of several messages in one second, the one that was stored last is shown. No column says
 * which one that was. So any message of the second is as expected, and a repair takes the one with the greatest id.
 */
export const newestMessages: Derived = {
  name: "newest messages of groups",
  over: "message_groups",
  table: "message_groups",
  storedAs: "columns",
  absent: "NULL",
  key: ["key"],
  values: ["newest_at", "newest_id", "earlier_at", "earlier_id"],
  expected: (range) => sql`
    WITH second AS MATERIALIZED (
      SELECT ${messages.group_key} AS group_key, ${messages.sent_at} AS at, max(${messages.id}) AS id,
        row_number() OVER (PARTITION BY ${messages.group_key} ORDER BY ${messages.sent_at} DESC) AS second_rank
      FROM ${messages} WHERE ${messages.group_key} ${range} GROUP BY ${messages.group_key}, ${messages.sent_at}
    )
    SELECT
      ${messageGroups.key} AS key, newest.at AS newest_at, ${ofSecond("newest", messageGroups.newest_id)} AS newest_id,
      earlier.at AS earlier_at, ${ofSecond("earlier", messageGroups.earlier_id)} AS earlier_id
    FROM ${messageGroups}
    JOIN second AS newest ON newest.group_key = ${messageGroups.key} AND newest.second_rank = 1
    LEFT JOIN second AS earlier ON earlier.group_key = ${messageGroups.key} AND earlier.second_rank = 2
    WHERE ${messageGroups.key} ${range} AND ${messageGroups.id} IS NOT NULL`,
};

/** The message that the group names if it is of this second, otherwise the message with the greatest id. */
function ofSecond(name: "newest" | "earlier", namedId: AnyColumn): SQL {
  const second = sql.raw(name);
  return sql`iif(
    EXISTS (
      SELECT 1 FROM ${messages}
      WHERE ${messages.id} = ${namedId} AND ${messages.group_key} = ${messageGroups.key} AND ${messages.sent_at} = ${second}.at
    ),
    ${namedId}, ${second}.id
  )`;
}

/**
 * All derived data, in the order of a repair. What customers have at accounts follows from the balances at stores, and
 * the vocabularies from the search indexes. A repair of the newest messages fires triggers that expect the groups by their news
 * to be right.
 */
export const DERIVED: readonly Derived[] = [
  ofTotal(customerBalances, { name: "customers' balances", over: "customers" }),
  ofTotal(balancesAtStores, { name: "balances at stores", over: "customers", absent: "a difference" }),
  redeemedUses,
  ofTotal(earningsOfCampaigns, { name: "what campaigns have earned", over: "stores" }),
  listedStores,
  storesJoined,
  holdings,
  teamLinks,
  teamMembers,
  ofTotal(teamTokens, { name: "tokens of teams", over: "stores" }),
  membershipRounds,
  messageGroupNews,
  newestMessages,
  ofTotal(totalsOfPlays, { name: "totals of plays", over: "stores", absent: "a difference" }),
  ...DERIVED_WORDS,
];
