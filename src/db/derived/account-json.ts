import type { Derived } from "./derived.ts";

/** The account object of the coupon lists, as JSON text that goes out as it is. */
export const accountJson: Derived = {
  name: "JSON of accounts",
  triggers: ["accounts_insert_json", "accounts_update_json"],
  over: "accounts",
  table: "account_json",
  storedAs: "rows",
  absent: "a difference",
  key: ["key"],
  values: ["coupons"],
  expected: (range) => `SELECT key, coupons FROM expected_account_json WHERE key ${range}`,
  stored: (range) => `SELECT key, coupons FROM account_json WHERE key ${range}`,
  what: [["accounts", "key"]],
};
