import * as z from "zod";
import { messageStates } from "../../db/tables.ts";
import { Flag } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";
import { MESSAGE_GROUPS, noMember } from "./message-group.ts";

/** How far a member has read a group; it ends when the membership does. */
export const messageState: StateKind = {
  type: "state",
  record: "message_state",
  table: messageStates,
  fields: z.object({
    group_id: Id,
    customer_id: Id,
    read_at: orNull(Datetime),
    notifications_disabled: orElse(Flag, 0),
  }),
  key: ["group_id", "customer_id"],
  global: true,
  fixed: [],
  references: [
    { field: "group_id", to: MESSAGE_GROUPS },
    { field: "customer_id", to: CUSTOMERS },
  ],
  faults: [noMember("message_state")],
};
