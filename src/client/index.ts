import { followChanges } from "./changes.ts";
import type {
  Client,
  CouponItems,
  CouponsQuery,
  MessagesQuery,
  MyCouponItems,
  MyCouponsQuery,
  TeamQuery,
} from "./client.ts";
import { entriesOf } from "./entries.ts";
import { followMessages } from "./new-messages.ts";
import type { CallOptions } from "./result.ts";
import type { RetryOptions } from "./retry.ts";
import { encode, Service } from "./service.ts";
import type { MessageGroup, TeamMember } from "./shapes.ts";
import { SharedConnection } from "./shared-connection.ts";
import type { SocketConstructor } from "./socket.ts";

export type { Changed, ChangesOptions } from "./changes.ts";
export type * from "./client.ts";
export { LoyaltyError, type Since } from "./loyalty-error.ts";
export type { PollOptions } from "./new-messages.ts";
export type { CallOptions, FailedResult, Forgiven, PagedResult, Result } from "./result.ts";
export type { RetryOptions } from "./retry.ts";
export type * from "./shapes.ts";
export type { Change, SocketConstructor, SocketLike } from "./socket.ts";
export { toDate } from "./time.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://loyalty.example`; on a page also a path, such as `/loyalty`. */
  url: string;
  /** A customer's token, or what gives one: it is asked before each try of a call, and may fetch a new one. */
  token: string | (() => string | Promise<string>);
  /** Another `fetch` than the global one. */
  fetch?: typeof fetch;
  /** Another `WebSocket` than the global one; null for none. */
  WebSocket?: SocketConstructor | null;
  /**
   * How often and how long a call is tried: three times of 30 seconds at most, with waits of ten seconds at most. A
   * lost connection, 429, 502, 503 and 504 are tried again, unless the service asks for a longer wait, as its own 429
   * does, which asks for a minute; nothing else is.
   */
  retry?: Partial<RetryOptions>;
}

const RETRY: RetryOptions = { attempts: 3, longestWaitMs: 10_000, answerWithinMs: 30_000 };
const LARGEST_PAGE = { per_page: 100 };

/** @throws a TypeError where the address is none. */
export function createClient({
  url,
  token,
  fetch: givenFetch = fetch,
  WebSocket: givenWebSocket = globalThis.WebSocket,
  retry,
}: ClientOptions): Client {
  if (!isAddress(url))
    throw new TypeError(`"${url}" is not the address of a service, such as https://loyalty.example.`);
  const WebSocket = givenWebSocket ?? null;
  const askToken = async () => (typeof token === "string" ? token : token());
  // Called as a plain function: a browser's fetch asks for no other `this` than its own.
  const send: typeof fetch = (input, init) => givenFetch(input, init);
  const service = new Service({ url, askToken, send, retry: { ...RETRY, ...retry } });
  let hasWarned = false;
  const connection = new SharedConnection({ url, askToken, send, WebSocket });

  const coupons = <Detailed extends boolean = false>(query: CouponsQuery<Detailed> = {}, call?: CallOptions) =>
    service.getPage<CouponItems<Detailed>>("/coupons", query, call);
  const myCoupons = (query: MyCouponsQuery = {}, call?: CallOptions) =>
    service.getPage<MyCouponItems>("/my-coupons", query, call);
  const messages = (query: MessagesQuery = {}, call?: CallOptions) =>
    service.getPage<MessageGroup[]>("/messages", query, call);
  const teamWithLevel = (storeId: string, query: TeamQuery = {}, call?: CallOptions) =>
    service.getPage<TeamMember[]>(`/stores/${encode(storeId)}/team-with-level`, query, call);

  return {
    me: (call) => service.getPage("/me", {}, call),
    nearbyCampaigns: (json, call) => service.post("/campaigns/near-by-popular-campaigns", json, call),
    coupons: Object.assign(coupons, {
      all: <Detailed extends boolean = false>(query?: CouponsQuery<Detailed>, call?: CallOptions) =>
        entriesOf((options) => coupons(query, options), call),
    }),
    myCoupons: Object.assign(myCoupons, {
      all: (query?: MyCouponsQuery, call?: CallOptions) =>
        entriesOf((options) => myCoupons({ ...LARGEST_PAGE, ...query }, options), call),
    }),
    fullSearch: ({ filter, ...json }, call) =>
      service.post("/full-search", { ...json, filter: filter && String(filter) }, call),
    messages: Object.assign(messages, {
      all: (query?: MessagesQuery, call?: CallOptions) =>
        entriesOf((options) => messages({ ...LARGEST_PAGE, ...query }, options), call),
    }),
    changes: (options = {}) => {
      if (givenWebSocket === undefined && !hasWarned) console.warn(MISSING_SOCKETS);
      hasWarned = true;
      return followChanges(connection, options);
    },
    newMessages: (options = {}) => followMessages(messages, connection, options),
    teamWithLevel: Object.assign(teamWithLevel, {
      all: (storeId: string, query?: TeamQuery, call?: CallOptions) =>
        entriesOf((options) => teamWithLevel(storeId, { ...LARGEST_PAGE, ...query }, options), call),
    }),
    leaderboard: (json, call) => service.postForBoard("/gamification/leaderboard", json, call),
  };
}

// React Native's URL can do nothing.
function isAddress(url: string): boolean {
  const isOnPage = (globalThis as { location?: { href?: string } }).location?.href !== undefined;
  return /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/i.test(url) || (isOnPage && /^(\/[^\s?#]*)?$/.test(url));
}

const MISSING_SOCKETS =
  "loyalty-edge: without a WebSocket, changes come a minute or two late. Use Node 22, or pass a WebSocket.";
