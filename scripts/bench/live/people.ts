// The customers of the figures on inboxes and sockets, in message groups of their own.

/** Customers whose messages are fed together. */
export const PARTS = ["before", "alone", "others", "polling", "connected"] as const;
export type Part = (typeof PARTS)[number];
/** Those who listen: their apps poll, or hold a socket. */
export const LISTENING: readonly Part[] = ["polling", "connected"];

export const CUSTOMERS_A_PART = 500;
export const MEMBERS = 100;
export const SOCKETS_A_MEMBER = 5;
export const MESSAGES = 5_000;

/** Writes every message, and never listens. */
const SENDER = "sender";
/** The group whose members all hold sockets. */
export const LARGE_GROUP = "members";

export function customersOf(part: Part): string[] {
  return Array.from({ length: CUSTOMERS_A_PART }, (_, index) => `${part}-${index}`);
}

export function memberIds(): string[] {
  return Array.from({ length: MEMBERS }, (_, index) => `member-${index}`);
}

/** All customers and groups, a request each: a customer of a part writes with the sender only, as with a shop. */
export function peopleRequests(): object[][] {
  const pairs = PARTS.flatMap(customersOf);
  const customers = [SENDER, ...pairs, ...memberIds()];
  return [
    customers.map((id) => ({ record: "customer", id, first_name: "Ada", last_name: "Lovelace" })),
    [...pairs.map((id) => groupLine(id, [SENDER, id])), groupLine(LARGE_GROUP, memberIds())],
  ];
}

/** Messages for the customers of a part, who get as many each. */
export function messagesFor(part: Part, round: number): object[] {
  const customers = customersOf(part);
  return Array.from({ length: MESSAGES }, (_, index) => ({
    record: "message",
    id: `${part}-${round}-${index}`,
    group_id: customers[index % customers.length],
    customer_id: SENDER,
    body: "A message of some length, as people write them.",
  }));
}

/** One message for all members of the large group. */
export function messageForMembers(round: number): object {
  return { record: "message", id: `members-${round}`, group_id: LARGE_GROUP, customer_id: "member-0", body: "Hello" };
}

function groupLine(id: string, members: readonly string[]): object {
  return { record: "message_group", id, initial_customer_id: members[0], member_ids: members };
}
