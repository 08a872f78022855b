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
// So many first customers are in no groups but FIRST_GROUPS, so that the demo's second customer has no messages.
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

/** The first customer's groups, then a group for every ten customers. One of the first has a member who is blocked. */
function* groups({ customers, groups }: Shape): Generator<{ id: string; members: readonly string[] }> {
  const random = new Random("groups");
  const first = customers > 2 * CUSTOMERS_WITHOUT_GROUPS ? CUSTOMERS_WITHOUT_GROUPS : 1;
  const otherCustomers = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => customerId(first + ((from + index) % (customers - first))));
  for (let group = 0; group < groups; group += 1) {
    const fixedMembers = customers > 20 ? FIRST_GROUPS[group] : undefined;
    yield { id: `g${group + 1}`, members: fixedMembers ?? ["c1", ...otherCustomers(group * 3, 2)] };
  }
  for (let group = 0; group < customers / CUSTOMERS_A_GROUP; group += 1) {
    const members = otherCustomers(
      random.integer(0, customers),
      random.integer(2, Math.min(LARGEST_GROUP, customers - 1)),
    );
    yield { id: `g${groups + group + 1}`, members };
  }
}

export function* messageGroups(shape: Shape): Generator<Line> {
  for (const { id, members } of groups(shape)) {
    const group_image = id === "g2" ? "https://images.example/groups/g2.png" : null;
    const created_at = "2026-01-01 00:00:00";
    yield {
      record: "message_group",
      id,
      initial_customer_id: members[0],
      member_ids: members,
      group_image,
      created_at,
    };
  }
}

/** Two messages for each group, at fixed times in the past. The first customer sends none. */
export function* messages(shape: Shape): Generator<Line> {
  const random = new Random("messages");
  let group = 0;
  for (const { id, members } of groups(shape)) {
    const senders = members.filter((member) => member !== "c1");
    for (const number of [0, 1]) {
      yield {
        record: "message",
        id: `m${id.slice(1)}-${number + 1}`,
        group_id: id,
        customer_id: senders[number % senders.length],
        body: random.pick(TEXTS),
        sent_at: timeOf(group, number),
      };
    }
    group += 1;
  }
}

/** In every second group the second member has read the first message, or has read all and muted the group. */
export function* messageStates(shape: Shape): Generator<Line> {
  let index = 0;
  for (const { id, members } of groups(shape)) {
    const hasReadAll = index % 4 === 2;
    const read_at = hasReadAll ? "2026-09-01 12:00:00" : timeOf(index, 0);
    if (index % 2 === 0)
      yield {
        record: "message_state",
        group_id: id,
        customer_id: members[1],
        read_at,
        notifications_disabled: hasReadAll ? 1 : 0,
      };
    index += 1;
  }
}
