import { toInstant } from "../../src/values/time.ts";
import { fileOf, type StoredMessage } from "./ledger.ts";
import type { Given, OpenApp } from "./open-app.ts";

/** Which messages concern whom. */
export interface News {
  messages: readonly StoredMessage[];
  /** The groups of each customer. */
  groupsOf: ReadonlyMap<string, readonly string[]>;
}

/** What became of the messages that apps had to be given, or notified of. */
export interface Deliveries {
  /** How long after the end of its second each came, in milliseconds. */
  took: number[];
  /** What never came, came too late, or came twice, a line each. */
  faults: string[];
}

// A notification that does not get through at once is repeated within about a minute (docs/contract/live.md, 1).
export const DELIVERED_WITHIN_MS = 90_000;
const SECOND_MS = 1_000;

/** Whether each app was given the group of each message, with that message or a later one, and no message twice. */
export function givenTo(apps: readonly Pick<OpenApp, "customer" | "given">[], news: News): Deliveries {
  const byGroup = apps.map(({ customer, given }) => ({ customer, given: Map.groupBy(given, ({ group }) => group) }));
  const { took, faults } = deliver(byGroup, news, ({ given }, message) => {
    const first = given.get(message.group)?.find(({ sentAt }) => sentAt >= message.sentAt);
    // Once a group was given with a message, nobody asks for a later one of the same second.
    const isHidden = first?.sentAt === message.sentAt && fileOf(first.message) < fileOf(message.id);
    return isHidden ? undefined : first?.at;
  });
  const repeated = byGroup.flatMap(({ customer, given }) =>
    [...given.values()]
      .flatMap(repeats)
      .map(({ group, message }) => `${group} with "${message}" was given again to ${customer}`),
  );
  return { took, faults: [...faults, ...repeated] };
}

/** Whether each app was notified once its endpoint began to show each message. */
export function notifiedTo(apps: readonly Pick<OpenApp, "customer" | "notifiedAt">[], news: News): Deliveries {
  return deliver(apps, news, ({ notifiedAt }, message) => notifiedAt.find((at) => at >= shownFrom(message)));
}

/** Notes of each message when it came to each app that it concerns; `timeOf` says undefined if it did not. */
function deliver<App extends { customer: string }>(
  apps: readonly App[],
  { messages, groupsOf }: News,
  timeOf: (app: App, message: StoredMessage) => number | undefined,
): Deliveries {
  const [took, faults]: [number[], string[]] = [[], []];
  const byGroup = Map.groupBy(messages, ({ group }) => group);
  for (const app of apps) {
    for (const message of (groupsOf.get(app.customer) ?? []).flatMap((group) => byGroup.get(group) ?? [])) {
      const at = timeOf(app, message);
      const what = `${message.id} of ${message.group}`;
      if (at === undefined) faults.push(`${what} did not reach ${app.customer}`);
      else took.push(Math.max(0, at - shownFrom(message)));
      const late = (at ?? 0) - message.acknowledgedAt;
      if (late > DELIVERED_WITHIN_MS)
        faults.push(`${what} took ${Math.round(late / 1_000)} s to reach ${app.customer}`);
    }
  }
  return { took, faults };
}

function repeats(given: readonly Given[]): Given[] {
  return given.filter(({ sentAt }, index) => sentAt <= (given[index - 1]?.sentAt ?? ""));
}

function shownFrom({ sentAt }: StoredMessage): number {
  return toInstant(sentAt) + SECOND_MS;
}
