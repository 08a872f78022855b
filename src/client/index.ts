import { type ClientRequestOptions, hc } from "hono/client";
import type { App } from "../app.ts";
import { getting, gettingOf, init, posting } from "./call.ts";
import { type ChangesOptions, followChanges } from "./changes.ts";
import { followMessages, type PollOptions } from "./new-messages.ts";
import { type RetryOptions, retrying } from "./retry.ts";
import { SharedConnection } from "./shared-connection.ts";
import type { SocketConstructor } from "./socket.ts";

export type { CallOptions } from "./call.ts";
export type { Changed, ChangesOptions } from "./changes.ts";
export { LoyaltyError, type Since } from "./loyalty-error.ts";
export type { PollOptions } from "./new-messages.ts";
export type { Result } from "./result.ts";
export type { RetryOptions } from "./retry.ts";
export type * from "./shapes.ts";
export type { Change, SocketConstructor, SocketLike } from "./socket.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://loyalty.example`. */
  url: string;
  /** A customer's token, or what gives one: it is asked before each try of a call, and may fetch a new one. */
  token: string | (() => string | Promise<string>);
  /** Another `fetch` than the global one. */
  fetch?: typeof fetch;
  /** Another `WebSocket` than the global one; null for none. */
  WebSocket?: SocketConstructor | null;
  /**
   * How often and how long a call is tried: three times of 30 seconds at most, with waits of ten seconds at most. A
   * lost connection, 429, 502, 503 and 504 are tried again; nothing else is.
   */
  retry?: Partial<RetryOptions>;
}

const RETRY: RetryOptions = { attempts: 3, longestWaitMs: 10_000, answerWithinMs: 30_000 };

/**
 * A client of the service as one customer. A call resolves with what the service answers, failures included; where no
 * answer of the service came it throws a LoyaltyError with the cause. Its types are those of the service's own routes.
 */
export function createClient({
  url,
  token,
  fetch: send = fetch,
  WebSocket = globalThis.WebSocket ?? null,
  retry,
}: ClientOptions) {
  const askToken = async () => (typeof token === "string" ? token : token());
  // Called as a plain function: a browser's fetch asks for no other `this` than its own.
  const plainSend: typeof fetch = (input, init) => send(input, init);
  const sendWithToken: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("Authorization", `Bearer ${await askToken()}`);
    return plainSend(input, { ...init, headers });
  };
  const options: ClientRequestOptions = { fetch: retrying(sendWithToken, { ...RETRY, ...retry }) };
  const { customer } = hc<App>(url, options).api.v1;
  const connection = new SharedConnection({ url, askToken, send: plainSend, WebSocket });

  return {
    /** Popular campaigns near a position. */
    nearbyCampaigns: posting(customer.campaigns["near-by-popular-campaigns"].$post),

    /** The coupons that the customer holds. */
    coupons: getting(customer.coupons.$get),

    /** Store, manufacturer and digital coupons, in pages. */
    myCoupons: getting(customer["my-coupons"].$get),

    /**
     * Stores, customers and campaigns by words. A list that would be empty has what is one typo away, unless `typos` is
     * false; `forgiven` has the words in question, and is not there if none was forgiven.
     */
    fullSearch: posting(customer["full-search"].$post),

    /** The message groups, newest message first. */
    messages: getting(customer.messages.$get),

    /**
     * What changed, as the service tells it: its first item, and the first after each reconnection, lists everything. It
     * reconnects until its signal ends it, or the service refuses the token: then it throws a LoyaltyError.
     */
    changes: (options: ChangesOptions = {}) => followChanges(connection, options),

    /**
     * Message groups as they get new messages, from now on or from `since`, oldest first; it ends with its signal. To
     * go on after a stop or a crash, store the last group that you dealt with, and give it as `since`: every group with
     * news comes, none twice, none lost. After a LoyaltyError its own `since` is where to go on.
     */
    newMessages: (options: PollOptions = {}) =>
      followMessages((query, call) => customer.messages.$get({ query }, init(call)), connection, options),

    /** The team of a store. */
    teamWithLevel: gettingOf(customer.stores[":id"]["team-with-level"].$get),

    /** Who leads the board at a store; by runs unless told. */
    leaderboard: posting(customer.gamification.leaderboard.$post),
  };
}

/** What `createClient` gives. */
export type Client = ReturnType<typeof createClient>;
