import { key, owner, refersTo, subject } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { Id } from "../values/text.ts";
import { campaign } from "./campaign.ts";
import { customer } from "./customer.ts";

/** A customer takes part in a campaign. */
export const registration = state("registration", "registrations", {
  customer_key: subject(key(refersTo(customer, { customer_id: Id }))),
  campaign_key: owner(key(refersTo(campaign, { campaign_id: Id }))),
});
