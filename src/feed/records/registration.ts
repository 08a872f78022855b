import * as z from "zod";
import { registrations } from "../../db/tables/index.ts";
import { Id } from "../../values/text.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind } from "./define-kind.ts";

export const registration = defineKind(registrations, {
  record: "registration",
  fields: z.object({ campaign_id: Id, customer_id: Id }),
  keyFields: ["campaign_id", "customer_id"],
  references: { campaign_id: CAMPAIGNS, customer_id: CUSTOMERS },
});
