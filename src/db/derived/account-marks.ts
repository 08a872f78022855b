import type { Derived } from "./derived.ts";

// As the triggers have it: so many stores, or campaigns, of an account hold the words of its company themselves.
const NEAR = 100;

/** From which of its stores and campaigns on an account is found by its mark (0002_accounts.sql). */
export const accountMarks: Derived = {
  name: "marks of large accounts",
  triggers: ["stores_insert_words", "campaigns_insert_words"],
  over: "accounts",
  table: "accounts",
  storedAs: "columns",
  absent: "NULL",
  key: ["key"],
  values: ["far_stores_from", "far_campaigns_from"],
  expected: (range) => `
    SELECT key, (${firstFar("stores")}) AS far_stores_from, (${firstFar("campaigns")}) AS far_campaigns_from
    FROM accounts WHERE key ${range}`,
  stored: (range) => `SELECT key, far_stores_from, far_campaigns_from FROM accounts WHERE key ${range}`,
  what: [["accounts", "key"]],
};

function firstFar(table: "stores" | "campaigns"): string {
  return `SELECT key FROM ${table} WHERE account_key = accounts.key ORDER BY key LIMIT 1 OFFSET ${NEAR}`;
}
