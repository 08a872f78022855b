import { type ClientRequestOptions, hc, type InferRequestType } from "hono/client";
import type { App } from "../app.ts";
import type { Failure } from "../http/errors.ts";
import { type PollOptions, pollMessages } from "./poll.ts";
import { type ItemsOf, type Result, toResult } from "./result.ts";
import { type RetryOptions, retrying } from "./retry.ts";

export type { Failure } from "../http/errors.ts";
export type { Result } from "./result.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://loyalty.example`. */
  url: string;
  /** A customer's token, or what gives one: it is asked before each call, and may fetch a new one. */
  token: string | (() => string | Promise<string>);
  /** Another `fetch` than the global one. */
  fetch?: typeof fetch;
  /** How often and how long a call is tried: three times, with waits of ten seconds at most. */
  retry?: Partial<RetryOptions>;
}

export interface CallOptions {
  /** Calls it off: the call then throws the signal's reason. */
  signal?: AbortSignal;
}

const RETRY: RetryOptions = { attempts: 3, longestWaitMs: 10_000 };

/**
 * A client of the service as one customer. A call resolves with what the service answers, failures included; it throws
 * where no answer came. Its types are those of the service's own routes.
 */
export function createClient({ url, token, fetch: send = fetch, retry }: ClientOptions) {
  const options: ClientRequestOptions = {
    // Called as a plain function: a browser's fetch asks for no other `this` than its own.
    fetch: retrying((input, init) => send(input, init), { ...RETRY, ...retry }),
    headers: async () => ({ Authorization: `Bearer ${typeof token === "string" ? token : await token()}` }),
  };
  const customer: Customer = hc<App>(url, options).api.v1.customer;
  const board = customer.gamification.leaderboard;
  const team = customer.stores[":id"]["team-with-level"];
  const nearby = customer.campaigns["near-by-popular-campaigns"];

  return {
    /** Popular campaigns near a place. */
    nearbyCampaigns: (json: Json<typeof nearby.$post>, call?: CallOptions) => read(nearby.$post({ json }, init(call))),

    /** The coupons that the customer holds. */
    coupons: (query: Query<typeof customer.coupons.$get> = {}, call?: CallOptions) =>
      read(customer.coupons.$get({ query }, init(call))),

    /** Store, manufacturer and digital coupons, in pages. */
    myCoupons: (query: Query<(typeof customer)["my-coupons"]["$get"]> = {}, call?: CallOptions) =>
      read(customer["my-coupons"].$get({ query }, init(call))),

    /** Stores, customers and campaigns by words. */
    fullSearch: (json: Json<(typeof customer)["full-search"]["$post"]>, call?: CallOptions) =>
      read(customer["full-search"].$post({ json }, init(call))),

    /** The message groups, newest message first. */
    messages: (query: Query<typeof customer.messages.$get> = {}, call?: CallOptions) =>
      read(customer.messages.$get({ query }, init(call))),

    /** The team of a store. */
    teamWithLevel: (id: string, query: Query<typeof team.$get> = {}, call?: CallOptions) =>
      read(team.$get({ param: { id }, query }, init(call))),

    /** Message groups as they get new messages, from now on or from `since`; it ends with its signal. */
    newMessages: (poll: PollOptions = {}) =>
      pollMessages((query, call) => customer.messages.$get({ query }, init(call)), poll),

    /** Who leads the board at a store; by runs unless told. */
    leaderboard: ({ rank_on = "run", ...json }: Partial<Board> & Pick<Board, "location_id">, call?: CallOptions) =>
      read(board.$post({ json: { ...json, rank_on } }, init(call))),
  };
}

type Customer = ReturnType<typeof hc<App>>["api"]["v1"]["customer"];
type Board = Json<Customer["gamification"]["leaderboard"]["$post"]>;
type Json<Endpoint> = InferRequestType<Endpoint> extends { json: infer Body } ? Body : never;
type Query<Endpoint> = InferRequestType<Endpoint> extends { query: infer Parameters } ? Parameters : never;

function init({ signal }: CallOptions = {}): ClientRequestOptions {
  return signal === undefined ? {} : { init: { signal } };
}

async function read<Body>(answer: Promise<{ json(): Promise<Body> }>): Promise<Result<ItemsOf<Body>>> {
  // The routes are typed by the answers of calls that go well; any other answer is a failure.
  const body: unknown = await (await answer).json();
  return toResult<Body>(body as (Body & { status: true }) | Failure);
}
