import { type SQL, sql } from "drizzle-orm";
import { type Derived, exactSum } from "./derived.ts";

const LEVELS = [1, 2, 3, 4, 5] as const;

/** The tokens that a member earned at a store from each level of the own team. */
export const teamTokens: Derived = {
  name: "tokens of teams",
  triggers: [],
  over: "stores",
  table: "memberships",
  storedAs: "columns",
  absent: "0",
  key: ["store_key", "customer_key"],
  values: ["tokens_1", "tokens_2", "tokens_3", "tokens_4", "tokens_5"],
  expected: (range) => `
    SELECT store_key, customer_key,
      ${ofLevels((column, level) => `${exactSum(`tokens * (level_no = ${level})`)} AS ${column}`)}
    FROM token_earnings WHERE store_key ${range} GROUP BY store_key, customer_key`,
  stored: (range) => `
    SELECT store_key, customer_key, ${ofLevels((column) => column)} FROM memberships WHERE store_key ${range}`,
  what: [
    ["stores", "store_key"],
    ["customers", "customer_key"],
  ],
};

/** What new earnings change. `fresh` is a `WITH` clause that has them as `token_earning`. */
export function addToTeamTokens(fresh: SQL): SQL {
  return sql`${fresh}
    UPDATE memberships SET
      ${sql.raw(ofLevels((column) => `${column} = memberships.${column} + earned.${column}`))}
    FROM (
      SELECT store_key, customer_key,
        ${sql.raw(ofLevels((column, level) => `sum(tokens * (level_no = ${level})) AS ${column}`))}
      FROM token_earning GROUP BY store_key, customer_key
    ) AS earned
    WHERE memberships.store_key = earned.store_key AND memberships.customer_key = earned.customer_key`;
}

function ofLevels(part: (column: string, level: number) => string): string {
  return LEVELS.map((level) => part(`tokens_${level}`, level)).join(", ");
}
