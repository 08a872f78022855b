import type { Derived } from "./derived.ts";

/** The stores that a campaign lists now, soft-deleted or not; a campaign for all stores lists none. */
export const listedStores: Derived = {
  name: "stores that campaigns list",
  over: "campaigns",
  table: "campaign_stores",
  storedAs: "rows",
  absent: "0",
  key: ["store_key", "campaign_key"],
  values: ["listed"],
  expected: (range) => `
    SELECT store.value AS store_key, campaigns.key AS campaign_key, 1 AS listed
    FROM campaigns, json_each(campaigns.listed_stores) AS store WHERE campaigns.key ${range}`,
  stored: "campaign_key",
  what: [
    ["campaigns", "campaign_key"],
    ["stores", "store_key"],
  ],
};
