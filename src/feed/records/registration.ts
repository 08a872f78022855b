import { registrations } from "../../db/tables.ts";
import { Id } from "../../values/text.ts";
import { campaign } from "./campaign.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";

export const registration = defineKind(registrations, {
  record: "registration",
  fields: { campaign_id: Id, customer_id: Id },
  key: ["customer_key", "campaign_key"],
  references: { campaign_id: campaign, customer_id: customer },
});
