import type { Derived } from "./derived.ts";

/** How many stores a customer has joined, soft-deleted ones included. */
export const storesJoined: Derived = {
  name: "stores joined",
  triggers: ["memberships_insert", "memberships_leave_or_return"],
  over: "customers",
  table: "customers",
  storedAs: "columns",
  absent: "0",
  key: ["key"],
  values: ["stores_count"],
  expected: (range) => `
    SELECT customer_key AS key, count(*) AS stores_count
    FROM memberships WHERE customer_key ${range} AND joined = 1 GROUP BY customer_key`,
  stored: (range) => `SELECT key, stores_count FROM customers WHERE key ${range}`,
  what: [["customers", "key"]],
};
