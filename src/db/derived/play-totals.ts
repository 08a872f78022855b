import { type SQL, sql } from "drizzle-orm";
import { type Derived, exactSum } from "./derived.ts";

/**
 * The sums of an employee's plays at a location in a campaign. A play of nothing has a row too: it puts its employee on
 * the board.
 */
export const playTotals: Derived = {
  name: "totals of plays",
  triggers: [],
  over: "stores",
  table: "play_totals",
  storedAs: "rows",
  absent: "a difference",
  key: ["location_key", "eip_campaign_key", "employee_key"],
  values: ["runs", "hits", "doubles", "triples"],
  expected: (range) => `
    SELECT location_key, eip_campaign_key, employee_key, ${exactSum("runs")} AS runs, ${exactSum("hits")} AS hits,
      ${exactSum("doubles")} AS doubles, ${exactSum("triples")} AS triples
    FROM plays WHERE location_key ${range} GROUP BY location_key, eip_campaign_key, employee_key`,
  stored: (range) => `
    SELECT location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples
    FROM play_totals WHERE location_key ${range}`,
  what: [
    ["stores", "location_key"],
    ["eip_campaigns", "eip_campaign_key"],
    ["employees", "employee_key"],
  ],
};

/** What new plays change: one of nothing makes a row, but changes none. `fresh` is a `WITH` clause that has them as `play`. */
export function addToPlayTotals(fresh: SQL): SQL {
  return sql`${fresh}
    INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
    SELECT location_key, eip_campaign_key, employee_key, sum(runs), sum(hits), sum(doubles), sum(triples)
    FROM play WHERE true GROUP BY location_key, eip_campaign_key, employee_key
    ON CONFLICT (location_key, eip_campaign_key, employee_key) DO UPDATE SET
      runs = runs + excluded.runs, hits = hits + excluded.hits,
      doubles = doubles + excluded.doubles, triples = triples + excluded.triples
    WHERE (excluded.runs, excluded.hits, excluded.doubles, excluded.triples) IS NOT (0, 0, 0, 0)`;
}
