import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { costIn } from "../support/api.ts";
import { asAt } from "../support/bindings.ts";

// 100,000 customers have one name, such as guests of a shop. Reading all of them in the index would take 200,019 rows.

const CUSTOMERS = 100_000;
const FRIENDS = 200;
const CALLER = "c50000";

beforeAll(async () => {
  await env.DB.prepare(
    `INSERT INTO customers (id, first_name, last_name, scan_id, address_line_1, address_line_2, city, state, zip,
       customer_description, avatar, words)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT 'c' || i, 'Shoppingguest', 'Guest', '', '', '', '', '', '', '', '', 'guest shoppingguest' FROM n`,
  )
    .bind(CUSTOMERS)
    .run();
  await env.DB.prepare(
    `INSERT INTO friendships (low_key, high_key, status)
     SELECT min(me.key, other.key), max(me.key, other.key), 1 FROM customers AS me CROSS JOIN customers AS other
     WHERE me.id = ? AND other.key % ? = 0 AND other.key <> me.key`,
  )
    .bind(CALLER, CUSTOMERS / FRIENDS)
    .run();
}, 120_000);

describe("a search for a name that everybody has", () => {
  it.for([
    ["friends", "guest", 20, 1_170],
    ["friends", "shoppinguest", 20, 1_000],
    ["friends", "nobody", 0, 1_300],
    ["none", "guest", 1, 17],
    ["none", "shoppinguest", 1, 24],
    ["none", "nobody", 0, 12],
  ] as const)(
    "within %s for %s finds %i, and reads at most %i rows",
    async ([scope, query, count, rows], { expect }) => {
      const api = asAt({ ENVIRONMENT: "development", CUSTOMER_SEARCH: scope }, CALLER);

      const answer = await api.post("/api/v1/customer/full-search", { query, filter: "customers" });

      expect(answer.body.customers).toHaveLength(count);
      expect(costIn(answer).rowsRead).toBeLessThanOrEqual(rows);
    },
  );
});
