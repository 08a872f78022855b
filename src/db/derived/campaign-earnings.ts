import { type SQL, sql } from "drizzle-orm";
import type { Derived } from "./derived.ts";

/** What a campaign has earned at a store, its popularity there: an entry that takes away does not count. */
export const campaignEarnings: Derived = {
  name: "what campaigns have earned",
  triggers: [],
  over: "stores",
  table: "campaign_stores",
  storedAs: "rows",
  absent: "0",
  key: ["store_key", "campaign_key"],
  values: ["earned"],
  expected: (range) => `
    SELECT store_key, campaign_key, sum(amount) AS earned
    FROM balance_entries WHERE store_key ${range} AND campaign_key IS NOT NULL AND amount > 0
    GROUP BY store_key, campaign_key`,
  stored: (range) => `SELECT store_key, campaign_key, earned FROM campaign_stores WHERE store_key ${range}`,
  what: [
    ["campaigns", "campaign_key"],
    ["stores", "store_key"],
  ],
};

/** What new entries change. `fresh` is a `WITH` clause that has them as `balance_entry`. */
export function addToCampaignEarnings(fresh: SQL): SQL {
  return sql`${fresh}
    INSERT INTO campaign_stores (store_key, campaign_key, earned)
    SELECT store_key, campaign_key, sum(amount) FROM balance_entry
    WHERE campaign_key IS NOT NULL AND amount > 0 GROUP BY store_key, campaign_key
    ON CONFLICT (store_key, campaign_key) DO UPDATE SET earned = earned + excluded.earned`;
}
