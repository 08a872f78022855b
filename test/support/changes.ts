import { vi } from "vitest";
import { type ClientOptions, createClient } from "../../src/client/index.ts";
import { type FakeSocket, fakeSockets } from "./fake-socket.ts";

export const EVERYTHING = ["messages", "coupons", "balance"];
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);

export const refusal = { status: false, errorCode: "UNAUTHENTICATED", message: "Invalid or expired." };
/** Answers of the service to a plain request for the path of the socket. */
const answers = {
  good: () => Response.json({ status: false, errorCode: "UPGRADE_REQUIRED", message: "A socket." }, { status: 426 }),
  refused: () => Response.json(refusal, { status: 401 }),
  forbidden: () => Response.json({ ...refusal, errorCode: "FORBIDDEN" }, { status: 403 }),
  busy: () => Response.json({ ...refusal, errorCode: "TOO_MANY_REQUESTS" }, { status: 429 }),
  down: () => Response.json({ ...refusal, errorCode: "UNAVAILABLE" }, { status: 503 }),
  stranger: () => new Response("<h1>Log in</h1>"),
};
export type Answer = keyof typeof answers | "nothing";

/** Stops the clock, and makes every random number 0.5. */
export function fakeTime(): void {
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
}

export function realTime(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}

export const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
export const soon = () => pass(0);
/** Since the clock was stopped. */
export const secondsPassed = () => (Date.now() - NOW) / SECOND;

/** Takes every item. Resolves with "ended", or with the error that ended it. */
export async function follow<Item>(items: AsyncIterable<Item>, onItem: (item: Item) => void): Promise<unknown> {
  try {
    for await (const item of items) onItem(item);
    return "ended";
  } catch (error) {
    return error;
  }
}

interface FollowOptions extends Partial<ClientOptions> {
  answer?: Answer;
  onOpen?: (socket: FakeSocket) => void;
}

/** Follows `changes()`: the items with the second of each, and how the iteration ended. */
export function followChanges({ answer = "good", onOpen, ...options }: FollowOptions = {}) {
  const openedAt: number[] = [];
  const sockets = fakeSockets((socket) => {
    openedAt.push(secondsPassed());
    onOpen?.(socket);
  });
  const service = { answer, asked: [] as [string, string | null][] };
  const given: [seconds: number, what: string[]][] = [];
  const stop = new AbortController();
  const client = createClient({
    url: "https://loyalty.example",
    token: "t0",
    fetch: async (input, init) => {
      service.asked.push([String(input), new Headers(init?.headers).get("Authorization")]);
      if (service.answer === "nothing") throw new TypeError("connection lost");
      return answers[service.answer]();
    },
    WebSocket: sockets.WebSocket,
    ...options,
  });
  const iteration = client.changes({ signal: stop.signal });
  const ended = follow(iteration, ({ what }) => given.push([secondsPassed(), what]));
  return { ...sockets, service, openedAt, given, stop, iteration, ended };
}

/** The same, with a first connection that has said hello. */
export async function followConnected(options?: FollowOptions) {
  const following = followChanges(options);
  await soon();
  following.last().hello();
  await soon();
  return following;
}
