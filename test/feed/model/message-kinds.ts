import { changes, type ModelKind, type ModelLine, text, textOrNull, wrong } from "./kind.ts";
import { isCustomer, pair, setMembers, type Tables } from "./tables.ts";

// What customers are to each other: friends, blocked, and members of groups.

const friends = (one: unknown, other: unknown) => [text(one), text(other)].sort().join("|");

export const friendship: ModelKind = {
  keyOf: ({ customer_id, friend_id }) => friends(customer_id, friend_id),
  isGlobal: true,
  write: (line, { after }) => after.friendships.set(friends(line.customer_id, line.friend_id), Number(line.status)),
  remove: (line, { friendships }) => friendships.delete(friends(line.customer_id, line.friend_id)),
  badFields: ({ customer_id, friend_id }, { after }) =>
    wrong({ customer_id: !isCustomer(after, customer_id), friend_id: !isCustomer(after, friend_id) }),
};

export const block: ModelKind = {
  keyOf: ({ customer_id, blocked_id }) => pair(customer_id, blocked_id),
  isGlobal: true,
  write: (line, { after }) => {
    const [customer_id, blocked_id] = [text(line.customer_id), text(line.blocked_id)];
    after.blocks.set(pair(customer_id, blocked_id), { customer_id, blocked_id });
  },
  remove: (line, { blocks }) => blocks.delete(pair(line.customer_id, line.blocked_id)),
  badFields: ({ customer_id, blocked_id }, { after }) =>
    wrong({ customer_id: !isCustomer(after, customer_id), blocked_id: !isCustomer(after, blocked_id) }),
};

export const messageGroup: ModelKind = {
  keyOf: ({ id }) => id,
  isGlobal: true,
  write: ({ id, initial_customer_id, member_ids }, { after }) => {
    const stored = after.groups.get(text(id));
    if (stored === undefined && !isCustomer(after, initial_customer_id)) return;
    const fresh = { initial_customer_id: text(initial_customer_id), member_ids: [], messages: [], states: new Map() };
    const group = stored ?? fresh;
    setMembers(
      group,
      (member_ids as string[]).filter((member) => isCustomer(after, member)),
    );
    after.groups.set(text(id), group);
  },
  remove: ({ id }, { groups }) => groups.delete(text(id)),
  badFields: (line, { after }) => {
    const { initial_customer_id, member_ids } = line;
    const isFixed = changes(after.groups.get(text(line.id)), line, "initial_customer_id");
    return wrong({
      initial_customer_id: isFixed || !isCustomer(after, initial_customer_id),
      member_ids: (member_ids as string[]).some((member) => !isCustomer(after, member)),
    });
  },
};

/** What is wrong with a line whose customer must be a member of its group. */
function badMember({ group_id, customer_id }: ModelLine, after: Tables): string[] {
  const group = after.groups.get(text(group_id));
  const isStranger = group !== undefined && !group.member_ids.includes(text(customer_id));
  return wrong({ group_id: group === undefined, customer_id: isStranger || !isCustomer(after, customer_id) });
}

export const messageState: ModelKind = {
  keyOf: ({ group_id, customer_id }) => pair(group_id, customer_id),
  isGlobal: true,
  write: ({ group_id, customer_id, read_at, notifications_disabled }, { after }) =>
    after.groups.get(text(group_id))?.states.set(text(customer_id), {
      read_at: textOrNull(read_at),
      notifications_disabled: Number(notifications_disabled),
    }),
  remove: (line, { groups }) => groups.get(text(line.group_id))?.states.delete(text(line.customer_id)) ?? false,
  badFields: (line, { after }) => badMember(line, after),
};

/** What is more than an hour old is history, and listed in its place; all else counts as sent now. */
function timeOf(sentAt: unknown, now: string): string {
  const anHourAgo = new Date(Date.parse(`${now.replace(" ", "T")}Z`) - 3_600_000).toISOString();
  const history = textOrNull(sentAt);
  return history !== null && history < anHourAgo.slice(0, 19).replace("T", " ") ? history : now;
}

export const message: ModelKind = {
  keyOf: ({ id }) => id,
  isEvent: true,
  isGlobal: true,
  write: (line, { after, now }) => {
    const [id, customer_id] = [text(line.id), text(line.customer_id)];
    after.bodies.set(id, text(line.body));
    after.groups.get(text(line.group_id))?.messages.push({ id, customer_id, time: timeOf(line.sent_at, now) });
  },
  remove: ({ id }, { bodies }) => {
    const hasBody = (bodies.get(text(id)) ?? "") !== "";
    if (hasBody) bodies.set(text(id), "");
    return hasBody;
  },
  badFields: (line, { after }) => badMember(line, after),
};
