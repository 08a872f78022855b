import { type SQL, sql } from "drizzle-orm";
import { type Derived, exactSum } from "./derived.ts";

/** The sum of all balance entries of a customer, also of an erased one. */
export const customerBalances: Derived = {
  name: "customers' balances",
  triggers: [],
  over: "customers",
  table: "customers",
  storedAs: "columns",
  absent: "0",
  key: ["key"],
  values: ["balance"],
  expected: (range) => `
    SELECT customer_key AS key, ${exactSum("amount")} AS balance
    FROM balance_entries WHERE customer_key ${range} GROUP BY customer_key`,
  stored: (range) => `SELECT key, balance FROM customers WHERE key ${range}`,
  what: [["customers", "key"]],
};

/** What new entries change. `fresh` is a `WITH` clause that has them as `balance_entry`. */
export function addToCustomerBalances(fresh: SQL): SQL {
  return sql`${fresh}
    UPDATE customers SET balance = balance + new.amount
    FROM (SELECT customer_key, sum(amount) AS amount FROM balance_entry GROUP BY customer_key) AS new
    WHERE customers.key = new.customer_key`;
}
