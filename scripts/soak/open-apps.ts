import { setTimeout as sleep } from "node:timers/promises";
import { customers } from "../demo/customers.ts";
import { messageGroups } from "../demo/messages.ts";
import { Random } from "../demo/random.ts";
import { givenTo, notifiedTo } from "./deliveries.ts";
import type { StoredMessage } from "./ledger.ts";
import { type Following, type Follows, OpenApp } from "./open-app.ts";
import { arrivalsOf, type LiveReport } from "./report.ts";

export interface OpenAppsOptions extends Omit<Following, "signal"> {
  sockets: number;
  /** How many poll for messages, and as many follow them with a socket. */
  followers: number;
  seed: number;
}

const RESTARTED_SHARE = 0.1;
const RESTART_EVERY_MS = { from: 2_000, to: 6_000 };

const MEMBERS = messageGroups().flatMap(({ id, member_ids }) =>
  (member_ids as string[]).map((member) => ({ member, group: String(id) })),
);
/** The groups of each customer who has any. */
const GROUPS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(MEMBERS, ({ member }) => member)].map(([member, all]) => [member, all.map(({ group }) => group)]),
);

/** Apps that stay open. */
export class OpenApps {
  readonly #options: OpenAppsOptions;
  readonly #random: Random;
  readonly #apps: Record<Follows, readonly OpenApp[]>;

  constructor(options: OpenAppsOptions) {
    const { sockets, followers, seed } = options;
    this.#options = options;
    this.#random = new Random(`open apps ${seed}`);
    const everybody = customers().map(({ id }) => id);
    const members = taken([...GROUPS_OF.keys()], 2 * followers);
    const open = (customerIds: readonly string[], follows: Follows) =>
      customerIds.map((customer) => new OpenApp(customer, follows, this.#random));
    this.#apps = {
      changes: open(taken(everybody, sockets), "changes"),
      "new messages": open(members.slice(followers), "new messages"),
      "new messages by polls": open(members.slice(0, followers), "new messages by polls"),
    };
  }

  get connected(): number {
    return this.#all.filter(({ isConnected }) => isConnected).length;
  }

  /** Stay open until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { url, onError } = this.#options;
    await Promise.all(this.#all.map((app) => app.stayOpen({ url, onError, signal })));
  }

  /** Restarts a tenth of them every few seconds, until the signal. */
  async restartSome(signal: AbortSignal): Promise<void> {
    const random = this.#random;
    while (!signal.aborted) {
      await sleep(random.integer(RESTART_EVERY_MS.from, RESTART_EVERY_MS.to), null, { signal }).catch(() => {});
      if (signal.aborted) return;
      for (const app of this.#all) if (random.next() < RESTARTED_SHARE) app.restart();
    }
  }

  report(messages: readonly StoredMessage[]): Omit<LiveReport, "outbox"> {
    const news = { messages, groupsOf: GROUPS_OF };
    const deliveries = Object.entries(this.#apps).map(([follows, apps]) => ({
      follows,
      ...(follows === "changes" ? notifiedTo(apps, news) : givenTo(apps, news)),
    }));
    return {
      messages: Object.fromEntries(deliveries.map(({ follows, took }) => [follows, arrivalsOf(took)])),
      connected: this.connected,
      missed: deliveries.flatMap(({ faults }) => faults),
    };
  }

  get #all(): OpenApp[] {
    return Object.values(this.#apps).flat();
  }
}

/** So many of them, over again if there are fewer. */
function taken<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: Math.ceil(count / items.length) }, () => items)
    .flat()
    .slice(0, count);
}
