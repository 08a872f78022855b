import { messageStates } from "../../db/tables.ts";
import { Flag } from "../../values/number.ts";
import { orElse, orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { messageGroup, NOT_A_MEMBER } from "./message-group.ts";

/** How far a member has read a group, and whether it is muted. A trigger removes the row when the member leaves. */
export const messageState = defineKind(messageStates, {
  record: "message_state",
  fields: {
    group_id: Id,
    customer_id: Id,
    read_at: orNull(FedTime),
    notifications_disabled: orElse(Flag, 0),
  },
  key: ["group_key", "customer_key"],
  groupField: "group_id",
  references: { group_id: messageGroup, customer_id: customer },
  faults: [NOT_A_MEMBER],
});
