import { type SQL, sql } from "drizzle-orm";
import { type Derived, exactSum } from "./derived.ts";

/** The sum of a customer's balance entries at a store. */
export const storeBalances: Derived = {
  name: "balances at stores",
  triggers: [],
  over: "stores",
  table: "store_balances",
  storedAs: "rows",
  absent: "0",
  key: ["store_key", "customer_key"],
  values: ["balance"],
  expected: (range) => `
    SELECT store_key, customer_key, ${exactSum("amount")} AS balance
    FROM balance_entries WHERE store_key ${range} GROUP BY store_key, customer_key`,
  stored: (range) => `SELECT store_key, customer_key, balance FROM store_balances WHERE store_key ${range}`,
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};

/** What new entries change. `fresh` is a `WITH` clause that has them as `balance_entry`. */
export function addToStoreBalances(fresh: SQL): SQL {
  return sql`${fresh}
    INSERT INTO store_balances (store_key, customer_key, balance)
    SELECT store_key, customer_key, sum(amount) FROM balance_entry WHERE true GROUP BY store_key, customer_key
    ON CONFLICT (store_key, customer_key) DO UPDATE SET balance = balance + excluded.balance`;
}
