import type { Connection } from "./app-socket.ts";
import type { Follower, Given } from "./followers.ts";
import { fileOf, type StoredMessage } from "./ledger.ts";

/** Which messages concern whom. */
export interface News {
  messages: readonly StoredMessage[];
  /** The groups of each customer. */
  groupsOf: ReadonlyMap<string, readonly string[]>;
}

// A telling that does not get through at once is repeated within about a minute (docs/contract/live.md, 1).
export const DELIVERED_WITHIN_MS = 90_000;
const SECOND_MS = 1_000;

/** What became of the messages that followers had to be given, or sockets told of. */
export class Deliveries {
  /** How long after the end of its second each came, in milliseconds. */
  readonly took: number[] = [];
  /** What never came, came too late, or came twice, a line each. */
  readonly faults: string[] = [];

  /** Notes when a message came; null: it did not. */
  note(message: StoredMessage, at: number | null, to: string): void {
    if (at === null) this.faults.push(`${message.id} of ${message.group} did not reach ${to}`);
    else this.took.push(Math.max(0, at - shownFrom(message)));
    const late = (at ?? 0) - message.acknowledgedAt;
    if (late > DELIVERED_WITHIN_MS)
      this.faults.push(`${message.id} of ${message.group} took ${Math.round(late / 1_000)} s to reach ${to}`);
  }
}

/** Whether each follower was given the group of each message: with that message, or with a later one. */
export function givenTo(followers: readonly Follower[], { messages, groupsOf }: News): Deliveries {
  const deliveries = new Deliveries();
  const byGroup = Map.groupBy(messages, ({ group }) => group);
  for (const { name, customer, given } of followers) {
    const givenByGroup = Map.groupBy(given, ({ group }) => group);
    for (const group of groupsOf.get(customer) ?? []) {
      const all = givenByGroup.get(group) ?? [];
      deliveries.faults.push(...repeats(all).map((repeat) => `${repeat} was given again to ${name}`));
      for (const message of byGroup.get(group) ?? []) {
        const first = all.find(({ sentAt }) => sentAt >= message.sentAt);
        // Once a group was given with a message, nobody asks for a later one of the same second.
        const isHidden = first?.sentAt === message.sentAt && fileOf(first.message) < fileOf(message.id);
        deliveries.note(message, isHidden ? null : (first?.at ?? null), name);
      }
    }
  }
  return deliveries;
}

/**
 * Whether a frame came over each connection for each message that its endpoint began to show while it was open. One
 * that was dropped in time need not have had it: the app polls when it connects again.
 */
export function toldOver(connections: readonly Connection[], { messages, groupsOf }: News): Deliveries {
  const deliveries = new Deliveries();
  const byGroup = Map.groupBy(messages, ({ group }) => group);
  for (const { customer, helloAt, endedAt, messageFramesAt } of connections) {
    for (const message of (groupsOf.get(customer) ?? []).flatMap((group) => byGroup.get(group) ?? [])) {
      const shownAt = shownFrom(message);
      if (shownAt < helloAt || (endedAt !== null && shownAt > endedAt)) continue;
      const frameAt = messageFramesAt.find((at) => at >= shownAt) ?? null;
      const isExcused = endedAt !== null && endedAt < message.acknowledgedAt + DELIVERED_WITHIN_MS;
      if (frameAt !== null || !isExcused) deliveries.note(message, frameAt, `the socket of ${customer}`);
    }
  }
  return deliveries;
}

function repeats(given: readonly Given[]): string[] {
  return given
    .filter(({ sentAt }, index) => sentAt <= (given[index - 1]?.sentAt ?? ""))
    .map(({ group, message }) => `${group} with "${message}"`);
}

function shownFrom({ sentAt }: StoredMessage): number {
  return Date.parse(`${sentAt.replace(" ", "T")}Z`) + SECOND_MS;
}
