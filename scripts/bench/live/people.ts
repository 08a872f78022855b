// The customers of the figures on notifications, in message groups of their own.

/** Customers whose messages are fed together: those who do not listen, and those whose apps poll or hold a socket. */
export const PARTS = ["quiet", "polling", "connected"] as const;
export type Part = (typeof PARTS)[number];

export const CUSTOMERS_A_PART = 500;
export const MESSAGES = 5_000;
export const MEMBERS = 100;
export const SOCKETS_A_MEMBER = 5;

/** Writes every message, and never listens. */
const SENDER = "sender";
/** The group whose members all hold sockets. */
export const LARGE_GROUP = "members";

export const customersOf = (part: Part) => idsOf(part, CUSTOMERS_A_PART);
export const memberIds = () => idsOf("member", MEMBERS);

export function idsOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** All customers and groups, a request each: a customer of a part writes with the sender only, as with a shop. */
export function peopleRequests(): string[][] {
  const pairs = PARTS.flatMap(customersOf);
  const customer = (id: string) => JSON.stringify({ record: "customer", id, first_name: "Ada", last_name: "Lovelace" });
  const group = (id: string, member_ids: readonly string[]) =>
    JSON.stringify({ record: "message_group", id, initial_customer_id: member_ids[0], member_ids });
  return [
    [SENDER, ...pairs, ...memberIds()].map(customer),
    [...pairs.map((id) => group(id, [SENDER, id])), group(LARGE_GROUP, memberIds())],
  ];
}

/** Messages for the customers of a part, who get as many each. */
export function messagesFor(part: Part, round: number): string[] {
  const customers = customersOf(part);
  const body = "A message of some length, as people write them.";
  return idsOf(`${part}-${round}`, MESSAGES).map((id, index) => {
    const group_id = customers[index % customers.length];
    return JSON.stringify({ record: "message", id, group_id, customer_id: SENDER, body });
  });
}

/** One message for all members of the large group. */
export function messageForMembers(round: number): string {
  const ids = { id: `members-${round}`, group_id: LARGE_GROUP, customer_id: "member-0" };
  return JSON.stringify({ record: "message", ...ids, body: "Hello" });
}
