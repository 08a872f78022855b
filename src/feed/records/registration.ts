import * as z from "zod";
import { registrations } from "../../db/tables.ts";
import { Id } from "../../values/text.ts";
import { CAMPAIGNS } from "./campaign.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";

export const registration: StateKind = {
  type: "state",
  record: "registration",
  table: registrations,
  fields: z.object({ campaign_id: Id, customer_id: Id }),
  key: ["customer_id", "campaign_id"],
  fixed: [],
  references: [
    { field: "campaign_id", to: CAMPAIGNS },
    { field: "customer_id", to: CUSTOMERS },
  ],
};
