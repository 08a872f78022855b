import type { Derived } from "./derived.ts";

const COLUMNS = "members_1, members_2, members_3, members_4, members_5";

/**
 * How many members of a store are so many levels below a member now. A link says so, but triggers add and take away one
 * at a time: a count of the links would read a team for each who joins it.
 */
export const teamMembers: Derived = {
  name: "members of teams",
  triggers: ["memberships_insert", "memberships_leave_or_return"],
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
  values: ["members_1", "members_2", "members_3", "members_4", "members_5"],
  expected: (range) => `
    SELECT store_key, ancestor_key AS customer_key, sum(joined AND depth = 1) AS members_1,
      sum(joined AND depth = 2) AS members_2, sum(joined AND depth = 3) AS members_3,
      sum(joined AND depth = 4) AS members_4, sum(joined AND depth = 5) AS members_5
    FROM expected_team_links WHERE store_key ${range} GROUP BY store_key, ancestor_key`,
  stored: (range) => `SELECT store_key, customer_key, ${COLUMNS} FROM memberships WHERE store_key ${range}`,
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};
