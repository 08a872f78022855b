import type * as z from "zod";
import { playTotals } from "../../db/derived/totals.ts";
import { plays } from "../../db/tables.ts";
import { DecimalText, TotalText, toHundredths } from "../../values/decimal.ts";
import { SignedCount, TotalCount } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";
import { eipCampaign } from "./eip-campaign.ts";
import { employee } from "./employee.ts";
import { ofAnotherAccount } from "./faults.ts";
import { store } from "./store.ts";
import { EventId, withSummaries } from "./summaries.ts";

/** The counts of a play. A restore takes larger counts, in summaries. */
const measures = (decimal: typeof DecimalText, count: z.ZodInt) => ({
  runs: orElse(decimal, "0").transform(toHundredths),
  hits: orElse(count, 0),
  doubles: orElse(count, 0),
  triples: orElse(count, 0),
});

const fields = {
  id: EventId,
  eip_campaign_id: Id,
  location_id: Id,
  employee_id: Id,
  ...measures(DecimalText, SignedCount),
  played_at: orNull(FedTime),
};

export const play = defineKind(plays, {
  record: "play",
  fields,
  references: { eip_campaign_id: eipCampaign, location_id: store, employee_id: employee },
  moreLineFields: ["runs", "hits", "doubles", "triples"],
  timeField: "played_at",
  faults: [
    ofAnotherAccount("eip_campaign_id", "a campaign", eipCampaign, "location_key"),
    ofAnotherAccount("employee_id", "an employee", employee, "location_key"),
  ],
  upkeep: [playTotals.addTo],
  hundredths: ["runs"],
  ...withSummaries(fields, measures(TotalText, TotalCount), [
    { by: ["location_key", "eip_campaign_key", "employee_key"], adds: ["runs", "hits", "doubles", "triples"] },
  ]),
});
