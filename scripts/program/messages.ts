import { customerId } from "./customers.ts";
import type { Line } from "./line.ts";
import { Random } from "./random.ts";
import { type Shape, timeIn2026 } from "./shape.ts";

const FIRST_GROUPS = [
  ["c6", "c1", "c11"],
  ["c1", "c16", "c6"],
  ["c21", "c1"],
];
const CUSTOMERS_A_GROUP = 10;
// These first customers are in no group but FIRST_GROUPS. So the demo's second customer has no messages.
const CUSTOMERS_WITHOUT_GROUPS = 20;
const LARGEST_GROUP = 6;
const TEXTS = [
  "Did you see the new pastries?",
  "Double points this weekend!",
  "Meet you at the store on Main Street?",
  "I have a coupon to spare.",
  "The queue was short today.",
  "¿Café mañana?",
];
const HOUR_SECONDS = 3_600;

/**
 * The time of a message. Each group's messages are two hours newer than the next group's, so the first group's are
 * newest.
 */
export const timeOf = (group: number, message: number) =>
  timeIn2026(-(group + 1) * 2 * HOUR_SECONDS + message * HOUR_SECONDS);

interface Group {
  index: number;
  id: string;
  members: readonly string[];
}

/** The first customer's groups, then a group for every ten customers. In the group of c16, c1 has blocked a member. */
function* groups({ customers, groups: groupsOfFirst }: Shape): Generator<Group> {
  const random = new Random("groups");
  const firstOther = customers > 2 * CUSTOMERS_WITHOUT_GROUPS ? CUSTOMERS_WITHOUT_GROUPS : 1;
  const otherCustomers = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => customerId(firstOther + ((from + index) % (customers - firstOther))));
  const largest = Math.min(LARGEST_GROUP, customers - 1);
  for (let index = 0; index < groupsOfFirst + customers / CUSTOMERS_A_GROUP; index += 1) {
    const fixedMembers = customers > CUSTOMERS_WITHOUT_GROUPS ? FIRST_GROUPS[index] : undefined;
    const members =
      index < groupsOfFirst
        ? (fixedMembers ?? ["c1", ...otherCustomers(index * 3, 2)])
        : otherCustomers(random.integer(0, customers), random.integer(2, largest));
    yield { index, id: `g${index + 1}`, members };
  }
}

export function* messageGroups(shape: Shape): Generator<Line> {
  for (const { id, members } of groups(shape)) {
    const group = { record: "message_group", id, initial_customer_id: members[0], member_ids: members };
    const group_image = id === "g2" ? "https://images.example/groups/g2.png" : null;
    yield { ...group, group_image, created_at: "2026-01-01 00:00:00" };
  }
}

/** Two messages for each group, at fixed times in the past. The first customer sends none. */
export function* messages(shape: Shape): Generator<Line> {
  const random = new Random("messages");
  for (const { index, id: group_id, members } of groups(shape)) {
    const senders = members.filter((member) => member !== "c1");
    for (const number of [0, 1]) {
      const message = { record: "message", id: `m${index + 1}-${number + 1}`, group_id };
      const customer_id = senders[number % senders.length];
      yield { ...message, customer_id, body: random.pick(TEXTS), sent_at: timeOf(index, number) };
    }
  }
}

/**
 * The second member's state in every second group. In the groups 1, 5, 9 and so on, they have read the first message.
 * In the groups 3, 7, 11 and so on, they have read both messages and muted the group.
 */
export function* messageStates(shape: Shape): Generator<Line> {
  for (const { index, id: group_id, members } of groups(shape)) {
    if (index % 2 === 1) continue;
    const hasReadAll = index % 4 === 2;
    const read_at = hasReadAll ? "2026-09-01 12:00:00" : timeOf(index, 0);
    const notifications_disabled = hasReadAll ? 1 : 0;
    yield { record: "message_state", group_id, customer_id: members[1], read_at, notifications_disabled };
  }
}
