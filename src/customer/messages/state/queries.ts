import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../../db/compile.ts";
import { columnNames, jsonOf } from "../../../db/select.ts";
import { type Actor, isTakenBy, journalAct, takeVersion } from "../../../records/acts.ts";
import { customerKeyOf, customers } from "../../../records/customer.ts";
import { messageGroupMembers, messageGroups } from "../../../records/message-group.ts";
import { messageState, messageStates } from "../../../records/message-state.ts";
import { notifyOwnInbox, type OwnAct } from "../../../records/own-acts.ts";
import { programState } from "../../../records/program.ts";
import { STAMP, selectAsShown } from "../queries.ts";
import type { MessageStateBody } from "./schema.ts";

/**
 * The statements that store how far the customer has read a group, and whether it is muted, for `act`. `group`: the group as the
 * customer sees it afterwards; none if the customer sees no such group.
 */
export function writeMessageState(groupId: string, state: MessageStateBody, actor: { act: string } & Actor) {
  const { read_up_to = null, notifications_disabled = null } = state;
  const values = { ...actor, group_id: groupId, read_up_to, notifications_disabled };
  return {
    begun: [begin(values)],
    stored: [store(values)],
    notified: [notifyOwnInbox(values)],
    changes: [journalState(values)],
    group: [selectGroup(values)],
  };
}

type Placeholders = PlaceholderOf<OwnAct | "group_id" | keyof MessageStateBody>;

/** The group, with the time of the message that it shows, if the customer is a member and it shows one. */
function shownGroup(placeholder: Placeholders): SQL {
  const { key, id, newest_at, earlier_at } = messageGroups;
  const { group_key, customer_key } = messageGroupMembers;
  const at = sql`iif(${newest_at} < ${STAMP}, ${newest_at}, ${earlier_at})`;
  return sql`(
    SELECT ${group_key} AS group_key, ${customer_key} AS customer_key, ${at} AS at, ${newest_at} < ${STAMP} AS is_newest
    FROM ${messageGroups} CROSS JOIN ${messageGroupMembers} ON ${group_key} = ${key}
    WHERE ${id} = ${placeholder("group_id")} AND ${customer_key} = ${customerKeyOf(placeholder("subject"))} AND ${at} IS NOT NULL
  )`;
}

/** `mark`: the state that is asked for, and the stored one, whose columns are NULL if there is none. */
function withMark(placeholder: Placeholders): SQL {
  const { group_key, customer_key, read_at, notifications_disabled } = messageStates;
  return sql`WITH mark AS MATERIALIZED (
    SELECT shown.group_key, shown.customer_key, ${read_at} AS old_read_at, ${notifications_disabled} AS old_disabled,
      nullif(max(coalesce(${read_at}, ''), coalesce(min(${placeholder("read_up_to")}, shown.at), '')), '') AS read_at,
      coalesce(${placeholder("notifications_disabled")}, ${notifications_disabled}, 0) AS disabled
    FROM ${shownGroup(placeholder)} AS shown LEFT JOIN ${messageStates}
      ON ${group_key} = shown.group_key AND ${customer_key} = shown.customer_key
  )`;
}

const begin = compileOnce("messages/state/begin", (placeholder: Placeholders) => {
  const isChange = sql`EXISTS (
    SELECT 1 FROM mark WHERE (read_at, disabled) IS NOT (old_read_at, coalesce(old_disabled, 0))
  )`;
  return takeVersion(placeholder("act"), isChange, withMark(placeholder));
});

const store = compileOnce("messages/state/store", (placeholder: Placeholders) => {
  const { group_key, customer_key, read_at, notifications_disabled } = messageStates;
  const key = columnNames(group_key, customer_key);
  const rest = columnNames(read_at, notifications_disabled);
  return sql`${withMark(placeholder)}
    INSERT INTO ${messageStates} (${key}, ${rest})
    SELECT mark.group_key, mark.customer_key, mark.read_at, mark.disabled
    FROM mark CROSS JOIN ${programState} WHERE ${isTakenBy(placeholder)}
    ON CONFLICT (${key}) DO UPDATE SET (${rest}) = (excluded.read_at, excluded.notifications_disabled)`;
});

const journalState = compileOnce("messages/state/journal", (placeholder: Placeholders) => {
  const { group_key, customer_key, read_at, notifications_disabled } = messageStates;
  const line = jsonOf({
    record: sql.raw(`'${messageState.record}'`),
    group_id: messageGroups.id,
    customer_id: customers.id,
    read_at,
    notifications_disabled,
  });
  const from = sql`
    CROSS JOIN ${messageGroups} ON ${messageGroups.id} = ${placeholder("group_id")}
    CROSS JOIN ${customers} ON ${customers.id} = ${placeholder("subject")}
    CROSS JOIN ${messageStates} ON ${group_key} = ${messageGroups.key} AND ${customer_key} = ${customers.key}`;
  return journalAct(placeholder, line, from);
});

const selectGroup = compileOnce("messages/state/group", (placeholder: Placeholders) =>
  selectAsShown(customerKeyOf(placeholder("subject")), shownGroup(placeholder)),
);
