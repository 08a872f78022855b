import * as z from "zod";
import { eipCampaigns } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { AccountId, Id, Name } from "../../values/text.ts";
import { DateOnly } from "../../values/time.ts";
import { ACCOUNTS } from "./account.ts";
import type { StateKind, Target } from "./kind.ts";

export const EIP_CAMPAIGNS: Target = { table: "eip_campaigns", account: "account_id" };

/** A campaign of the employee incentive program, in which employees are ranked by their plays. */
export const eipCampaign: StateKind = {
  type: "state",
  record: "eip_campaign",
  table: eipCampaigns,
  fields: z.object({
    id: Id,
    account_id: AccountId,
    name: Name,
    start_date: DateOnly,
    end_date: orNull(DateOnly),
  }),
  key: ["id"],
  account: "account_id",
  fixed: ["account_id"],
  references: [{ field: "account_id", to: ACCOUNTS }],
  deletion: { column: "set_aside", live: 0 },
};
