import * as z from "zod";
import { addTo, openTo, PLAY_TOTALS } from "../../db/derived/totals.ts";
import { plays } from "../../db/tables/index.ts";
import { DecimalText, toHundredths } from "../../values/decimal.ts";
import { SignedCount } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { defineKind } from "./define-kind.ts";
import { EIP_CAMPAIGNS } from "./eip-campaign.ts";
import { EMPLOYEES } from "./employee.ts";
import { ofAnotherAccount } from "./faults.ts";
import { playOpening } from "./openings.ts";
import { STORES } from "./store.ts";

export const play = defineKind(plays, {
  record: "play",
  fields: z.object({
    id: Id,
    eip_campaign_id: Id,
    location_id: Id,
    employee_id: Id,
    runs: orElse(DecimalText, "0").transform(toHundredths),
    hits: orElse(SignedCount, 0),
    doubles: orElse(SignedCount, 0),
    triples: orElse(SignedCount, 0),
    played_at: orNull(FedTime),
  }),
  references: { eip_campaign_id: EIP_CAMPAIGNS, location_id: STORES, employee_id: EMPLOYEES },
  uses: ["runs", "hits", "doubles", "triples"],
  timeField: "played_at",
  faults: [
    ofAnotherAccount("eip_campaign_id", "a campaign", EIP_CAMPAIGNS, "location_key"),
    ofAnotherAccount("employee_id", "an employee", EMPLOYEES, "location_key"),
  ],
  totals: [addTo(PLAY_TOTALS)],
  openings: [playOpening],
  leaving: {
    sums: { runs: "sum(runs)", hits: "sum(hits)", doubles: "sum(doubles)", triples: "sum(triples)" },
    open: [openTo(PLAY_TOTALS)],
  },
  hundredths: ["runs"],
});
