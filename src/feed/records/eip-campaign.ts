import { eipCampaigns } from "../../db/tables.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { AccountId, Id, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { firstSecondOf, lastSecondOfEnd, TimeZone } from "../../values/time-zone.ts";
import { account } from "./account.ts";
import { defineKind } from "./define-kind.ts";

/** A campaign of the employee incentive program (EIP), which ranks employees by their plays. */
export const eipCampaign = defineKind(eipCampaigns, {
  record: "eip_campaign",
  fields: {
    id: Id,
    account_id: AccountId,
    name: Name,
    start_date: DateOnly,
    end_date: orNull(DateOnly),
    time_zone: orElse(TimeZone, "UTC"),
  },
  columns: {
    starts_at: { made: ({ start_date, time_zone }) => firstSecondOf(start_date, time_zone) },
    ends_at: { made: ({ end_date, time_zone }) => lastSecondOfEnd(end_date, time_zone) },
  },
  references: { account_id: account },
  oftenSmall: true,
});
