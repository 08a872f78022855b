import type { Client, Paged, TeamQuery } from "./calls.ts";
import { SharedConnection } from "./connection.ts";
import { entriesOf } from "./entries.ts";
import { followChanges, followMessages } from "./follow.ts";
import type { CallOptions } from "./result.ts";
import { encode, type RetryOptions, rootOf, Service } from "./service.ts";
import type { TeamMember } from "./shapes.ts";
import type { SocketConstructor } from "./socket.ts";

export type * from "./calls.ts";
export { toDate } from "./poll.ts";
export * from "./result.ts";
export type { RetryOptions } from "./service.ts";
export type * from "./shapes.ts";
export type { Change, SocketConstructor, SocketLike } from "./socket.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://loyalty.example`; on a page also a path, such as `/loyalty`. */
  url: string;
  /** A customer's token, or a function that returns one. It is called before each try of a call, and may fetch a new token. */
  token: string | (() => string | Promise<string>);
  /** A `fetch` to use instead of the global one. */
  fetch?: typeof fetch;
  /** A `WebSocket` to use instead of the global one; null for none. */
  WebSocket?: SocketConstructor | null;
  /**
   * How often and how long a call is tried. By default it is tried three times for at most 30 seconds each, with waits of at
   * most ten seconds. Only a lost connection, 429, 502, 503 and 504 are tried again, and only if the service does not ask
   * for a longer wait. The service's own 429 asks for a minute.
   */
  retry?: Partial<RetryOptions>;
}

const RETRY: RetryOptions = { attempts: 3, longestWaitMs: 10_000, answerWithinMs: 30_000 };

/** @throws a TypeError if `url` is not an address. */
export function createClient({
  url,
  token,
  fetch: givenFetch = fetch,
  WebSocket: givenWebSocket = globalThis.WebSocket,
  retry,
}: ClientOptions): Client {
  const root = rootOf(url, "/api/v1/customer");
  const askToken = async () => (typeof token === "string" ? token : token());
  // A browser's fetch throws if it is called as a method of another object, so this calls it as a plain function.
  const send: typeof fetch = (input, init) => givenFetch(input, init);
  const service = new Service({ url: root, askToken, send, retry: { ...RETRY, ...retry } });
  const connection = new SharedConnection(service, givenWebSocket ?? null);
  let hasWarned = false;

  const list = <Query extends object, Items>(
    path: string,
    queryOfAll: object = { per_page: 100 },
  ): Paged<[query?: Query, call?: CallOptions], Items> => {
    const page = (query: object = {}, call?: CallOptions) => service.getPage<Items>(path, query, call);
    const all = (query?: object, call?: CallOptions) =>
      entriesOf((options) => page({ ...queryOfAll, ...query }, options), call);
    return Object.assign(page, { all });
  };
  const teamOf = (storeId: string) => list<TeamQuery, TeamMember[]>(`/stores/${encode(storeId)}/team-with-level`);
  const messages: Client["messages"] = list("/messages");

  return {
    me: (call) => service.getPage("/me", {}, call),
    entries: list("/me/entries", { limit: 100 }),
    nearbyCampaigns: (json, call) => service.post("/campaigns/near-by-popular-campaigns", json, call),
    coupons: list("/coupons", {}) as Client["coupons"],
    myCoupons: list("/my-coupons"),
    fullSearch: ({ filter, ...json }, call) =>
      service.post("/full-search", { ...json, filter: filter && String(filter) }, call),
    messages,
    changes: (options = {}) => {
      if (givenWebSocket === undefined && !hasWarned) console.warn(MISSING_SOCKETS);
      hasWarned = true;
      return followChanges(connection, options);
    },
    newMessages: (options = {}) => followMessages(messages.all, connection, options),
    teamWithLevel: Object.assign(
      (storeId: string, query?: TeamQuery, call?: CallOptions) => teamOf(storeId)(query, call),
      { all: (storeId: string, query?: TeamQuery, call?: CallOptions) => teamOf(storeId).all(query, call) },
    ),
    leaderboard: (json, call) => service.post("/gamification/leaderboard", json, call),
    wake: () => service.waits.end("woken"),
  };
}

const MISSING_SOCKETS =
  "loyalty-edge: without a WebSocket, changes come a minute or two late. Use Node 22, or pass a WebSocket.";
