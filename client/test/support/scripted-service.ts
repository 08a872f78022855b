import { beforeEach, vi } from "vitest";
import { type ClientOptions, createClient } from "../../src/client.ts";
import { type FakeSocket, fakeSockets } from "./fake-socket.ts";

export const URL_OF_SERVICE = "https://loyalty.example";
export const EVERYTHING = ["messages", "coupons", "balance"];
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);

const failure = (status: number, errorCode: string) =>
  Response.json({ status: false, errorCode, message: "The service's words." }, { status });
/** By its state, the service's answer to a request for the socket's path that asks for no socket; but for `up`, to each. */
const PLAIN_ANSWERS = {
  up: () => failure(426, "UPGRADE_REQUIRED"),
  refusing: () => failure(401, "UNAUTHENTICATED"),
  forbidding: () => failure(403, "FORBIDDEN"),
  busy: () => failure(429, "TOO_MANY_REQUESTS"),
  down: () => failure(503, "UNAVAILABLE"),
  captive: () => new Response("<h1>Log in</h1>"),
};
/** In the state `unreachable` requests fail; in the state `silent` they never end. */
export type ServiceState = keyof typeof PLAIN_ANSWERS | "unreachable" | "silent";

/**
 * Stops the clock in each test of the file, and makes every random number 0.5. Each test has events of its own: an iteration
 * that an earlier test left open must not hear `online`, because workerd lets no test resume what another one waits for.
 */
export function stopTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const events = new EventTarget();
    for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"] as const)
      vi.stubGlobal(name, events[name].bind(events));
  });
}

export const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
export const soon = () => pass(0);
/** The seconds that the stopped clock was moved on. */
export const secondsPassed = () => (Date.now() - NOW) / SECOND;

/** Reads every item. Resolves with "ended", or with the error that ended the iteration. */
export async function follow<Item>(items: AsyncIterable<Item>, onItem: (item: Item) => void): Promise<unknown> {
  try {
    for await (const item of items) onItem(item);
    return "ended";
  } catch (error) {
    return error;
  }
}

export interface ServiceOptions extends Partial<ClientOptions> {
  state?: ServiceState;
  onOpen?: (socket: FakeSocket) => void;
  /** Answers polls while the service is up. By default there is no message. */
  poll?: (address: URL) => Response | Promise<Response>;
}

/** A client of a service that the test controls, its sockets, and its requests for the socket's path. */
export function openClient({ state = "up", onOpen, poll, ...options }: ServiceOptions = {}) {
  const openedAt: number[] = [];
  const sockets = fakeSockets((socket) => {
    openedAt.push(secondsPassed());
    onOpen?.(socket);
  });
  const service = { state, plainRequests: [] as [address: string, authorization: string | null][] };
  const client = createClient({
    url: URL_OF_SERVICE,
    token: "t0",
    fetch: async (input, init) => {
      const isLive = String(input).endsWith("/live");
      if (isLive) service.plainRequests.push([String(input), new Headers(init?.headers).get("Authorization")]);
      if (service.state === "unreachable") throw new TypeError("connection lost");
      if (service.state === "silent") return new Promise(() => {});
      if (isLive || service.state !== "up") return PLAIN_ANSWERS[service.state]();
      return poll?.(new URL(String(input))) ?? failure(200, "NO_ITEMS");
    },
    WebSocket: sockets.WebSocket,
    ...options,
  });
  return { ...sockets, client, service, openedAt };
}

/** Follows `changes()` of a client. `receivedChanges` lists the items, each with its second. */
export function followChangesOf(client: ReturnType<typeof createClient>) {
  const receivedChanges: [seconds: number, what: string[]][] = [];
  const stop = new AbortController();
  const iteration = client.changes({ signal: stop.signal });
  const ended = follow(iteration, ({ what }) => receivedChanges.push([secondsPassed(), what]));
  return { receivedChanges, stop, iteration, ended };
}

export function followChanges(options?: ServiceOptions) {
  const opened = openClient(options);
  return { ...opened, ...followChangesOf(opened.client) };
}

/** Follows `changes()` over a connection that has said hello. */
export async function followConnected(options?: ServiceOptions) {
  const following = followChanges(options);
  await soon();
  following.last().hello();
  await soon();
  return following;
}
