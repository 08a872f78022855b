import type { Expected } from "./expected.ts";
import type { Row } from "./kinds.ts";
import { shownGroup } from "./program.ts";
import { keyOf, type State } from "./state.ts";

// What a customer writes (docs/contract/interface.md, 4.10). The state is changed in place: it must be a copy.

/** Marks a group as read, or mutes it. */
export function writeMessageState(state: State, caller: string, group_id: string, body: Row, now: string): Expected {
  const group = state.find("message_group", group_id);
  const isMember = group?.member_ids.includes(caller);
  const shown = isMember ? shownGroup(state, caller, group as Row, now) : undefined;
  if (group === undefined || shown === undefined) return { status: 404 };
  const stored = state.find("message_state", group_id, caller);
  const { read_at = null, notifications_disabled = 0 } = stored ?? {};
  const asked = [body.read_up_to ?? "", shown.last_message_time].sort()[0];
  const marked = { read_at: [read_at ?? "", asked].sort()[1] || null };
  const muted = { notifications_disabled: body.notifications_disabled ?? notifications_disabled };
  const isChanged = marked.read_at !== read_at || muted.notifications_disabled !== notifications_disabled;
  if (isChanged)
    state.store("message_state", keyOf("message_state", [group_id, caller]), {
      ...{ group_id, customer_id: caller },
      ...marked,
      ...muted,
    });
  return { status: 200, body: { status: true, items: shownGroup(state, caller, group, now) } };
}

/** Blocks another customer, or ends the block. */
export function writeBlock(state: State, caller: string, other: string, is_blocked: boolean): Expected {
  if (caller === other) return { status: 422, fields: ["customer_id"] };
  if (!state.current("customer", caller) || !state.current("customer", other)) return { status: 404 };
  const row = { customer_id: caller, blocked_id: other };
  state.store("block", keyOf("block", [caller, other]), is_blocked ? row : undefined);
  return { status: 200, body: { status: true, items: { customer_id: other, is_blocked } } };
}
