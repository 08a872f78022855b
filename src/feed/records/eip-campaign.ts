import * as z from "zod";
import { eipCampaigns } from "../../db/tables/index.ts";
import { orNull } from "../../values/scalar.ts";
import { AccountId, Id, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { ACCOUNTS } from "./account.ts";
import { defineKind, type Target } from "./kind.ts";

export const EIP_CAMPAIGNS: Target = { table: eipCampaigns, account: "account_key", few: true };

/** A campaign of the employee incentive program, in which employees are ranked by their plays. */
export const eipCampaign = defineKind(eipCampaigns, {
  record: "eip_campaign",
  fields: z.object({
    id: Id,
    account_id: AccountId,
    name: Name,
    start_date: DateOnly,
    end_date: orNull(DateOnly),
  }),
  columns: { id: "id", accountKey: { key: "account_id" }, name: "name", startDate: "start_date", endDate: "end_date" },
  fixed: ["accountKey"],
  references: { account_id: ACCOUNTS },
  deletion: { column: "deleted", is: 1 },
});
