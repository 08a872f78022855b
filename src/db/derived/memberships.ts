import type { Derived } from "./derived.ts";

/** What is stored in columns of a membership. */
const MEMBERSHIPS = {
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
  stored: "store_key",
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
} as const satisfies Partial<Derived>;

/** How many stores a customer has joined, soft-deleted ones included. */
export const storesJoined: Derived = {
  name: "stores joined",
  over: "customers",
  table: "customers",
  storedAs: "columns",
  absent: "0",
  key: ["key"],
  values: ["stores_count"],
  expected: (range) => `
    SELECT customer_key AS key, count(*) AS stores_count
    FROM memberships WHERE customer_key ${range} AND joined = 1 GROUP BY customer_key`,
  stored: "key",
  what: [["customers", "key"]],
};

/** Who is how far below whom at a store, in the order in which a team is listed. */
export const teamLinks: Derived = {
  name: "team links",
  over: "stores",
  table: "team_links",
  storedAs: "rows",
  absent: "a difference",
  key: ["store_key", "ancestor_key", "joined", "depth", "name", "descendant_id", "descendant_key"],
  values: [],
  expected: (range) => `SELECT * FROM expected_team_links WHERE store_key ${range}`,
  stored: "store_key",
  what: [["stores", "store_key"], ["customers", "ancestor_key"], "descendant_id"],
};

/**
 * How many members of a store are so many levels below a member now. A link says so, but triggers add and take away one
 * at a time: a count of the links would read a team for each who joins it.
 */
export const teamMembers: Derived = {
  ...MEMBERSHIPS,
  name: "members of teams",
  values: ["members_1", "members_2", "members_3", "members_4", "members_5"],
  expected: (range) => `
    SELECT store_key, ancestor_key AS customer_key, sum(joined AND depth = 1) AS members_1,
      sum(joined AND depth = 2) AS members_2, sum(joined AND depth = 3) AS members_3,
      sum(joined AND depth = 4) AS members_4, sum(joined AND depth = 5) AS members_5
    FROM expected_team_links WHERE store_key ${range} GROUP BY store_key, ancestor_key`,
};

/**
 * In which round of an export a membership comes: how often, going up from the member, a referrer was stored as a
 * customer after whom they referred. So each referrer comes before whom they referred.
 */
export const membershipRounds: Derived = {
  ...MEMBERSHIPS,
  name: "rounds of memberships",
  values: ["round"],
  expected: (range) => `
    WITH RECURSIVE line(store_key, customer_key, above_key, round) AS (
      SELECT store_key, customer_key, customer_key, 0 FROM memberships WHERE store_key ${range}
      UNION ALL
      SELECT line.store_key, line.customer_key, m.referrer_key, line.round + (m.referrer_key > m.customer_key)
      FROM line CROSS JOIN memberships AS m ON m.store_key = line.store_key AND m.customer_key = line.above_key
      WHERE m.referrer_key IS NOT NULL
    )
    SELECT store_key, customer_key, max(round) AS round FROM line GROUP BY store_key, customer_key`,
};
