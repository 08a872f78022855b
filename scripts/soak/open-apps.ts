import { setTimeout as sleep } from "node:timers/promises";
import { customers } from "../demo/customers.ts";
import { messageGroups } from "../demo/messages.ts";
import { Random } from "../demo/random.ts";
import { AppSocket, type Connection, type SocketCounts } from "./app-socket.ts";
import { givenTo, type News, toldOver } from "./deliveries.ts";
import { type Follower, MessageFollower, newFollower, poll } from "./followers.ts";
import { type ListenerReport, type LiveReport, toListenerReport } from "./live-report.ts";
import { inAllPrograms, inProgram, partsOf } from "./programs.ts";
import type { OnError } from "./stalls.ts";

export interface OpenAppsOptions {
  url: string;
  sockets: number;
  /** How many poll, and as many follow `newMessages()`. */
  followers: number;
  seed: number;
  onError: OnError;
}

const DROPPED_SHARE = 0.1;
const DROP_EVERY_MS = { from: 2_000, to: 6_000 };

const CUSTOMERS = inAllPrograms(customers().map(({ id }) => id));
const GROUPS = messageGroups() as unknown as readonly { id: string; member_ids: readonly string[] }[];

/** The groups of each customer who has any, in each program. */
export const GROUPS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  inAllPrograms([...new Set(GROUPS.flatMap(({ member_ids }) => member_ids))]).map((member) => {
    const { program, id } = partsOf(member);
    return [
      member,
      GROUPS.filter(({ member_ids }) => member_ids.includes(id)).map((group) => inProgram(program, group.id)),
    ];
  }),
);

/** Apps that stay open: sockets of all customers, pollers, and clients that follow `newMessages()`. */
export class OpenApps {
  readonly #options: OpenAppsOptions;
  readonly #random: Random;
  readonly #counts: SocketCounts = {
    dropped: 0,
    closed: 0,
    answered: 0,
    frames: { messages: 0, coupons: 0, balance: 0 },
    pings: 0,
    pongs: 0,
  };
  readonly #connections: Connection[] = [];
  readonly #sockets: readonly AppSocket[];
  readonly #pollers: readonly Follower[];
  readonly #clients: readonly MessageFollower[];

  constructor(options: OpenAppsOptions) {
    const { url, onError, sockets, followers } = options;
    this.#options = options;
    this.#random = new Random(`open apps ${options.seed}`);
    const watch = { url, onError, random: this.#random, counts: this.#counts, connections: this.#connections };
    const members = [...GROUPS_OF.keys()];
    this.#sockets = taken(CUSTOMERS, sockets).map((customer) => new AppSocket(customer, watch));
    const customersOf = taken(members, 2 * followers);
    this.#pollers = customersOf.slice(0, followers).map((customer) => newFollower("poller", customer));
    this.#clients = customersOf.slice(followers).map((customer) => new MessageFollower(customer));
  }

  get openSockets(): number {
    return this.#sockets.filter(({ isOpen }) => isOpen).length;
  }

  /** Stays open until told to stop. */
  async run(signal: AbortSignal): Promise<void> {
    const following = { ...this.#options, random: this.#random, signal };
    await Promise.all([
      ...this.#sockets.map((socket) => socket.hold(signal)),
      ...this.#pollers.map((poller) => poll(poller, following)),
      ...this.#clients.map((client) => client.follow(following)),
    ]);
  }

  /** Drops a tenth of the sockets and of the clients every few seconds, until told to stop. */
  async dropSome(signal: AbortSignal): Promise<void> {
    const random = this.#random;
    while (!signal.aborted) {
      await sleep(random.integer(DROP_EVERY_MS.from, DROP_EVERY_MS.to), null, { signal }).catch(() => {});
      if (signal.aborted) return;
      for (const socket of this.#sockets) if (random.next() < DROPPED_SHARE) socket.drop();
      for (const client of this.#clients) if (random.next() < DROPPED_SHARE) client.drop(random);
    }
  }

  report(news: News): Omit<LiveReport, "outbox"> {
    const { sockets, followers } = this.#options;
    const told = toldOver(this.#connections, news);
    const polled = givenTo(this.#pollers, news);
    const clients = this.#clients.map(({ follower }) => follower);
    const followed = givenTo(clients, news);
    const listeners: ListenerReport[] = [
      toListenerReport("sockets", { count: sockets, ...told }),
      toListenerReport("pollers", { count: followers, ...polled, polled: this.#pollers }),
      toListenerReport("newMessages()", { count: followers, ...followed, polled: clients }),
    ];
    return {
      listeners,
      sockets: { ...this.#counts, open: this.openSockets, connections: this.#connections.length },
      missed: [...told.faults, ...polled.faults, ...followed.faults],
    };
  }
}

/** So many of them, over again where there are fewer. */
function taken<Item>(items: readonly Item[], count: number): Item[] {
  return Array.from({ length: Math.ceil(count / items.length) }, () => items)
    .flat()
    .slice(0, count);
}
