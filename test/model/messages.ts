import { pick, type Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { byCodePoint } from "./text.ts";

// Messages (docs/contract/interface.md, 4.2).

/** The customer's groups with a shown message, newest first. */
export function messageGroups(state: State, caller: string, { check_time = "" }: Row, now: string): Row[] {
  return state
    .all("message_group")
    .filter(({ member_ids }) => member_ids.includes(caller))
    .flatMap((group) => shownGroup(state, caller, group, now) ?? [])
    .filter(({ last_message_time }) => last_message_time > check_time)
    .sort(
      (one, other) =>
        byCodePoint(other.last_message_time, one.last_message_time) || byCodePoint(one.group_id, other.group_id),
    );
}

/** A message is shown once its second is over. Of several messages in one second, the last stored is the last. */
export function lastMessage(state: State, groupId: string, now: string): Row | undefined {
  const shown = state.all("message").filter(({ group_id, sent_at }) => group_id === groupId && sent_at < now);
  return shown.reduce<Row | undefined>(
    (last, one) => (last === undefined || one.sent_at >= last.sent_at ? one : last),
    undefined,
  );
}

function shownGroup(state: State, caller: string, group: Row, now: string): Row | undefined {
  const { id: group_id, group_image, initial_customer_id } = group;
  const last = lastMessage(state, group_id, now);
  if (last === undefined) return undefined;
  const { read_at = null, notifications_disabled = 0 } = state.find("message_state", group_id, caller) ?? {};
  const members = group.member_ids.filter((id: string) => id !== caller).map((id: string) => member(state, caller, id));
  const named = (role: string, id: string) => ({
    [`${role}_name`]: state.nameOf(id),
    [`${role}_avatar`]: state.customer(id)?.avatar ?? "",
  });
  return {
    ...{ group_id, group_image, group_name: groupName(members), initial_customer_id, notifications_disabled },
    ...{ last_message: last.body, last_message_time: last.sent_at, last_customer: last.customer_id },
    ...named("initial_customer", initial_customer_id),
    ...named("last_customer", last.customer_id),
    read_status: last.customer_id === caller || (read_at ?? "") >= last.sent_at ? 1 : 0,
    group_members: members,
  };
}

const member = (state: State, caller: string, id: string): Row => ({
  ...pick(state.customer(id) ?? {}, "id avatar customer_description"),
  name: state.nameOf(id),
  friend_status: state.friendStatus(caller, id),
  total_balance: state.balance(id) / 100,
  is_blocked: state.find("block", caller, id) !== undefined,
});

function groupName(members: readonly Row[]): string {
  const names = members.filter(({ is_blocked }) => !is_blocked).map(({ name }) => name);
  const blocked = members.length - names.length;
  return [names.join(", "), blocked > 0 ? `(${blocked} blocked)` : ""].filter((part) => part !== "").join(" ");
}
