import type { Derived } from "./derived.ts";

const COLUMNS = "store_key, ancestor_key, joined, depth, name, descendant_id, descendant_key";

/** Who is how far below whom at a store, in the order in which a team is listed. */
export const teamLinks: Derived = {
  name: "team links",
  triggers: ["memberships_insert", "memberships_leave_or_return", "customers_rename_or_erase"],
  over: "stores",
  table: "team_links",
  storedAs: "rows",
  absent: "a difference",
  key: ["store_key", "ancestor_key", "joined", "depth", "name", "descendant_id", "descendant_key"],
  values: [],
  expected: (range) => `SELECT ${COLUMNS} FROM expected_team_links WHERE store_key ${range}`,
  stored: (range) => `SELECT ${COLUMNS} FROM team_links WHERE store_key ${range}`,
  what: [["stores", "store_key"], ["customers", "ancestor_key"], "descendant_id"],
};
