import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { plays } from "../../db/tables.ts";
import { DecimalText, toHundredths } from "../../values/decimal.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { EIP_CAMPAIGNS } from "./eip-campaign.ts";
import { EMPLOYEES } from "./employee.ts";
import type { EventKind, Kind, Line } from "./kind.ts";
import { STORES } from "./store.ts";

export const play: EventKind = {
  type: "event",
  record: "play",
  table: plays,
  fields: z.object({
    id: Id,
    eip_campaign_id: Id,
    location_id: Id,
    employee_id: Id,
    runs: orElse(DecimalText, "0").transform(toHundredths),
    hits: orElse(Count, 0),
    doubles: orElse(Count, 0),
    triples: orElse(Count, 0),
    played_at: orNull(Datetime),
  }),
  times: ["played_at"],
  references: [
    { field: "eip_campaign_id", to: EIP_CAMPAIGNS },
    { field: "location_id", to: STORES },
    { field: "employee_id", to: EMPLOYEES },
  ],
  faults: [
    {
      field: "eip_campaign_id",
      text: "names a campaign of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM eip_campaigns JOIN stores ON stores.id = play.location_id
        WHERE eip_campaigns.id = play.eip_campaign_id AND eip_campaigns.account_id <> stores.account_id
      )`,
    },
    {
      field: "employee_id",
      text: "names an employee of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM employees JOIN stores ON stores.id = play.location_id
        WHERE employees.id = play.employee_id AND employees.account_id <> stores.account_id
      )`,
    },
  ],
  storedAccounts: sql`
    SELECT line, stores.account_id FROM play
    JOIN plays AS stored ON stored.id = play.id
    JOIN stores ON stores.id = stored.location_id`,
  totals: (fresh: SQL) => [
    // A play of nothing still puts its employee on the board, but changes no total.
    sql`${fresh}
      INSERT INTO play_totals (location_id, eip_campaign_id, employee_id, runs, hits, doubles, triples)
      SELECT location_id, eip_campaign_id, employee_id, sum(runs), sum(hits), sum(doubles), sum(triples)
      FROM play WHERE true GROUP BY location_id, eip_campaign_id, employee_id
      ON CONFLICT (location_id, eip_campaign_id, employee_id) DO UPDATE SET
        runs = runs + excluded.runs, hits = hits + excluded.hits,
        doubles = doubles + excluded.doubles, triples = triples + excluded.triples
      WHERE (excluded.runs, excluded.hits, excluded.doubles, excluded.triples) IS NOT (0, 0, 0, 0)`,
  ],
};

/** The leaderboards, by location and campaign, on which a request books plays; one may come several times. */
export function playedBoards(
  batches: readonly { kind: Kind; writes: readonly Line[] }[],
): { locationId: string; campaignId: string }[] {
  const lines = batches.flatMap(({ kind, writes }) => (kind === play ? writes : []));
  return lines.map(({ row }) => ({ locationId: String(row.location_id), campaignId: String(row.eip_campaign_id) }));
}
