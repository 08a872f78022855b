import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { fed, key, refersTo, subject } from "../db/columns.ts";
import { state } from "../db/record.ts";
import { NOW } from "../db/select.ts";
import { Flag } from "../values/number.ts";
import { orNull, withDefault } from "../values/scalar.ts";
import { Id } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { customer } from "./customer.ts";
import { messageGroup, messageGroupMembers, NOT_A_MEMBER } from "./message-group.ts";

const STORED_MARK = sql`(
  SELECT stored.read_at FROM ${sql.identifier("message_states")} AS stored
  WHERE stored.group_key = line.group_key AND stored.customer_key = line.customer_key
)`;

/** How far a member has read a group, and whether it is muted. A trigger removes the row when the member leaves. */
export const messageState = state(
  "message_state",
  "message_states",
  {
    group_key: key({ ...refersTo(messageGroup, { group_id: Id }), column: integer().notNull() }),
    customer_key: subject(key({ ...refersTo(customer, { customer_id: Id }), column: integer().notNull() })),
    /**
     * Messages up to this time are read; NULL: none. A time that is ahead would hide later messages, so it counts as now. A mark
     * never moves back, because the customer may have read more since; but NULL removes it.
     */
    read_at: {
      ...fed(text(), orNull(FedTime)),
      value: sql`max(min(line.read_at, ${NOW}), coalesce(${STORED_MARK}, ''))`,
    },
    /** 1: disabled. */
    notifications_disabled: fed(integer().notNull(), withDefault(Flag, 0)),
  },
  {
    foreign: { columns: ["group_key", "customer_key"], to: messageGroupMembers },
    check: [NOT_A_MEMBER],
    groupField: "group_id",
    notAheadField: "read_at",
  },
);
export const messageStates = messageState.table;
