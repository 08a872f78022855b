import { pick, type Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { by } from "./text.ts";

// Messages (docs/contract/interface.md, 4.2).

/** The customer's groups that have a shown message, those with the newest message first. */
export function messageGroups(state: State, caller: string, { check_time = "" }: Row, now: string): Row[] {
  return state
    .all("message_group")
    .filter(({ member_ids }) => member_ids.includes(caller))
    .flatMap((group) => shownGroup(state, caller, group, now) ?? [])
    .filter(({ last_message_time }) => last_message_time > check_time)
    .sort(by("-last_message_time", "group_id"));
}

function shownGroup(state: State, caller: string, group: Row, now: string): Row | undefined {
  const { id: group_id, group_image, initial_customer_id } = group;
  // A message is shown once its second is over. Of one second's messages, the last is the one that was stored last.
  const shown = state.all("message", { group_id }).filter(({ sent_at }) => sent_at < now);
  const last = shown.sort(by("sent_at")).at(-1);
  if (last === undefined) return undefined;
  const { read_at = null, notifications_disabled = 0 } = state.find("message_state", group_id, caller) ?? {};
  const members = group.member_ids.filter((id: string) => id !== caller).map((id: string) => member(state, caller, id));
  const nameAndAvatar = (role: string, id: string) => ({
    [`${role}_name`]: state.nameOf(id),
    [`${role}_avatar`]: state.current("customer", id)?.avatar ?? "",
  });
  return {
    ...{ group_id, group_image, group_name: groupName(members), initial_customer_id, notifications_disabled },
    ...{ last_message: last.body, last_message_time: last.sent_at, last_customer: last.customer_id },
    ...nameAndAvatar("initial_customer", initial_customer_id),
    ...nameAndAvatar("last_customer", last.customer_id),
    read_status: last.customer_id === caller || (read_at ?? "") >= last.sent_at ? 1 : 0,
    group_members: members,
  };
}

const member = (state: State, caller: string, id: string): Row => ({
  ...pick(state.current("customer", id) ?? {}, "id avatar customer_description"),
  name: state.nameOf(id),
  friend_status: state.friendStatus(caller, id),
  total_balance: state.balance(id),
  is_blocked: state.find("block", caller, id) !== undefined,
});

function groupName(members: readonly Row[]): string {
  const names = members.filter(({ is_blocked }) => !is_blocked).map(({ name }) => name);
  const blocked = members.length - names.length;
  return [names.join(", "), blocked > 0 ? `(${blocked} blocked)` : ""].filter((part) => part !== "").join(" ");
}
