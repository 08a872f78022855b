import type { Derived } from "./derived.ts";

/**
 * In which round of an export a membership comes: how often, going up from the member, a referrer was stored as a
 * customer after whom they referred. So each referrer comes before whom they referred.
 */
export const membershipRounds: Derived = {
  name: "rounds of memberships",
  triggers: ["memberships_insert_round"],
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
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
  stored: (range) => `SELECT store_key, customer_key, round FROM memberships WHERE store_key ${range}`,
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};
