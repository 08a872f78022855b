import { type ClientRequestOptions, hc } from "hono/client";
import type { App } from "../app.ts";
import { type CallOptions, getting, gettingOf, init, posting, reading } from "./call.ts";
import { type Changed, type ChangesOptions, followChanges } from "./changes.ts";
import { followMessages, type PollOptions } from "./new-messages.ts";
import type { Result } from "./result.ts";
import { type RetryOptions, retrying } from "./retry.ts";
import type {
  CouponRecord,
  DetailedCouponRecord,
  DigitalCoupon,
  LeaderboardItem,
  Me,
  MessageGroup,
  MyCouponRecord,
  NearbyCampaign,
  SearchCampaign,
  SearchCustomer,
  SearchStore,
  TeamMember,
} from "./shapes.ts";
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

type Page = { page?: string | number | undefined; per_page?: string | number | undefined };

/**
 * A client of the service as one customer. A call resolves with what the service answers, failures included; where no
 * answer of the service came it throws a LoyaltyError with the cause.
 */
export interface Client {
  /** The customer, and what they have with each account. */
  me: (call?: CallOptions) => Promise<Result<Me>>;

  /** Popular campaigns near a position. */
  nearbyCampaigns: (
    json: {
      latitude: string | number;
      longitude: string | number;
      single_account_id: string;
      count?: string | number | undefined;
    },
    call?: CallOptions,
  ) => Promise<Result<NearbyCampaign[]>>;

  /** The coupons that the customer holds. */
  coupons: (
    query?: {
      includemfg?: string | undefined;
      include_images?: string | undefined;
      search?: string | undefined;
      type?: string | undefined;
      accountId?: string | undefined;
    },
    call?: CallOptions,
  ) => Promise<Result<CouponRecord[] | { stores: DetailedCouponRecord[]; mfg: DetailedCouponRecord[] }>>;

  /** Store, manufacturer and digital coupons, in pages. */
  myCoupons: (
    query?: Page & {
      digitalonly?: string | undefined;
      search?: string | undefined;
      type?: "mfg" | "store" | undefined;
      storeId?: string | string[] | undefined;
      includemfg?: string | undefined;
    },
    call?: CallOptions,
  ) => Promise<Result<{ store: MyCouponRecord[]; mfg: MyCouponRecord[]; digital: DigitalCoupon[] }>>;

  /**
   * Stores, customers and campaigns by words. A list that would be empty has what is one typo away, unless `typos` is
   * false; `forgiven` has the words in question, and is not there if none was forgiven.
   */
  fullSearch: (
    json: { query: string; filter?: string | null | undefined; typos?: boolean | undefined },
    call?: CallOptions,
  ) => Promise<
    Result<
      | { stores: SearchStore[]; customers: SearchCustomer[]; campaigns: SearchCampaign[] }
      | { customers: SearchCustomer[]; stores: SearchStore[] },
      { forgiven?: string[] | undefined }
    >
  >;

  /** The message groups, newest message first. */
  messages: (
    query?: Page & { check_time?: string | undefined; after?: string | undefined },
    call?: CallOptions,
  ) => Promise<Result<MessageGroup[]>>;

  /**
   * What changed, as the service tells it: its first item, and the first after each reconnection, lists everything. It
   * reconnects until its signal ends it, or the service refuses the token: then it throws a LoyaltyError.
   */
  changes: (options?: ChangesOptions) => AsyncGenerator<Changed, void, undefined>;

  /**
   * Message groups as they get new messages, from now on or from `since`, oldest first; it ends with its signal. To
   * go on after a stop or a crash, store the last group that you dealt with, and give it as `since`: every group with
   * news comes, none twice, none lost. After a LoyaltyError its own `since` is where to go on.
   */
  newMessages: (options?: PollOptions) => AsyncGenerator<MessageGroup, void, undefined>;

  /** The team of a store. */
  teamWithLevel: (
    id: string,
    query?: Page & { level_no?: string | number | undefined; team_member_id?: string | undefined },
    call?: CallOptions,
  ) => Promise<Result<TeamMember[]>>;

  /** Who leads the board at a store; by runs unless told. */
  leaderboard: (
    json: {
      location_id: string;
      eip_campaign_id?: string | undefined;
      rank_on?: "double" | "hit" | "run" | "triple";
    },
    call?: CallOptions,
  ) => Promise<Result<LeaderboardItem[]>>;
}

export function createClient({
  url,
  token,
  fetch: send = fetch,
  WebSocket = globalThis.WebSocket ?? null,
  retry,
}: ClientOptions): Client {
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
    me: reading(customer.me.$get),
    nearbyCampaigns: posting(customer.campaigns["near-by-popular-campaigns"].$post),
    coupons: getting(customer.coupons.$get),
    myCoupons: getting(customer["my-coupons"].$get),
    fullSearch: posting(customer["full-search"].$post),
    messages: getting(customer.messages.$get),
    changes: (options = {}) => followChanges(connection, options),
    newMessages: (options = {}) =>
      followMessages((query, call) => customer.messages.$get({ query }, init(call)), connection, options),
    teamWithLevel: gettingOf(customer.stores[":id"]["team-with-level"].$get),
    leaderboard: posting(customer.gamification.leaderboard.$post),
  };
}
