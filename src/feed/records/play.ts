import { sql } from "drizzle-orm";
import * as z from "zod";
import { addToPlayTotals } from "../../db/derived/totals.ts";
import { plays } from "../../db/tables/index.ts";
import { DecimalText, toHundredths } from "../../values/decimal.ts";
import { Count } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { EIP_CAMPAIGNS } from "./eip-campaign.ts";
import { EMPLOYEES } from "./employee.ts";
import { defineKind, type Kind, type Line } from "./kind.ts";
import { STORES } from "./store.ts";

export const play = defineKind(plays, {
  record: "play",
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
  columns: {
    id: "id",
    eipCampaignKey: { key: "eip_campaign_id" },
    locationKey: { key: "location_id" },
    employeeKey: { key: "employee_id" },
    runs: "runs",
    hits: "hits",
    doubles: "doubles",
    triples: "triples",
    playedAt: { time: "played_at" },
  },
  references: { eip_campaign_id: EIP_CAMPAIGNS, location_id: STORES, employee_id: EMPLOYEES },
  uses: ["runs", "hits", "doubles", "triples"],
  faults: [
    {
      field: "eip_campaign_id",
      text: "names a campaign of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM eip_campaigns JOIN stores ON stores.key = play.location_key
        WHERE eip_campaigns.key = play.eip_campaign_key AND eip_campaigns.account_key <> stores.account_key
      )`,
    },
    {
      field: "employee_id",
      text: "names an employee of another account than the store's",
      when: sql`EXISTS (
        SELECT 1 FROM employees JOIN stores ON stores.key = play.location_key
        WHERE employees.key = play.employee_key AND employees.account_key <> stores.account_key
      )`,
    },
  ],
  totals: (fresh) => [addToPlayTotals(fresh)],
});

/** The leaderboards, by location and campaign, on which a request books plays; one may come several times. */
export function playedBoards(
  batches: readonly { kind: Kind; writes: readonly Line[] }[],
): { locationId: string; campaignId: string }[] {
  const lines = batches.flatMap(({ kind, writes }) => (kind === play ? writes : []));
  return lines.map(({ fields }) => ({
    locationId: String(fields.location_id),
    campaignId: String(fields.eip_campaign_id),
  }));
}
