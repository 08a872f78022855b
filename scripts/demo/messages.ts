import type { DemoLine } from "./chains.ts";
import { customers } from "./customers.ts";
import { Random } from "./random.ts";

const OTHERS_GROUPS = 100;
const TEXTS = [
  "Did you see the new pastries?",
  "Double points this weekend!",
  "Meet you at the store on Main Street?",
  "I have a coupon to spare.",
  "The queue was short today.",
  "¿Café mañana?",
];

/** The first customer has a friend, somebody who waits for an answer, and has blocked one; the others a few friends. */
export function friendships(): DemoLine[] {
  const random = new Random("friendships");
  const pairs = customers()
    .slice(100)
    .map(({ id }, index) => ({
      customer_id: id,
      friend_id: `c${random.integer(1, 100)}`,
      status: index % 3 === 0 ? 0 : 1,
    }));
  return [
    { record: "friendship", customer_id: "c1", friend_id: "c6", status: 1 },
    { record: "friendship", customer_id: "c11", friend_id: "c1", status: 0 },
    ...pairs.map((pair) => ({ record: "friendship", ...pair })),
    { record: "block", customer_id: "c1", blocked_id: "c16" },
  ];
}

/** Three groups of the first customer, two of them unread and one with somebody blocked, and a hundred of others. */
export function messageGroups(): DemoLine[] {
  const random = new Random("message groups");
  const group = (id: string, members: readonly string[], image: string | null = null) => ({
    record: "message_group",
    id,
    initial_customer_id: members[0],
    member_ids: members,
    group_image: image,
    created_at: "2026-03-01 09:00:00",
  });
  return [
    group("g1", ["c6", "c1", "c11"]),
    group("g2", ["c1", "c16", "c6"], "https://images.example/groups/g2.png"),
    group("g3", ["c21", "c1"]),
    ...Array.from({ length: OTHERS_GROUPS }, (_, index) => {
      const members = random.sample(customers().slice(50), random.integer(2, 6)).map(({ id }) => id);
      return group(`g${index + 4}`, members);
    }),
  ];
}

/** What was said in the groups, from 2026 on: history, listed by its own times. */
export function messages(): DemoLine[] {
  const random = new Random("messages");
  return messageGroups().flatMap(({ id, member_ids }, index) =>
    Array.from({ length: index === 0 ? 3 : random.integer(1, 4) }, (_, number) => ({
      record: "message",
      id: `m${index + 1}-${number + 1}`,
      group_id: id,
      customer_id: random.pick((member_ids as string[]).filter((member) => member !== "c1")),
      body: random.pick(TEXTS),
      sent_at: `2026-03-0${number + 2} ${String(8 + (index % 12)).padStart(2, "0")}:15:00`,
    })),
  );
}

/** The first customer has read one group to its end, and part of another. */
export function messageStates(): DemoLine[] {
  return [
    { record: "message_state", group_id: "g1", customer_id: "c1", read_at: "2026-03-02 12:00:00" },
    {
      record: "message_state",
      group_id: "g3",
      customer_id: "c1",
      read_at: "2026-03-31 12:00:00",
      notifications_disabled: 1,
    },
  ];
}
