import { type BesideOf, bodyOf, type ItemsOf, type Result, toResult } from "./result.ts";
import type { Failure } from "./shapes.ts";

export interface CallOptions {
  /** Calls it off: the call then throws the signal's reason. */
  signal?: AbortSignal;
}

/** The part of Hono's options of a call that is used here. */
interface SendOptions {
  init?: RequestInit;
}

/** A call as Hono's client has it. */
type Send<Request, Body> = (request: Request, options?: SendOptions) => Promise<Answer<Body>>;

interface Answer<Body> {
  status: number;
  json(): Promise<Body>;
}

// What an endpoint takes and answers is inferred from its `Send`, so that the package's declarations spell it out and
// name nothing of Hono.

/** A call with a JSON body. */
export function posting<Request extends { json: unknown }, Body>(send: Send<Request, Body>) {
  return (json: Request["json"], call?: CallOptions) => read(send({ json } as Request, init(call)));
}

/** A call with a query, of which nothing is required. */
export function getting<Request extends { query: unknown }, Body>(send: Send<Request, Body>) {
  return (query?: Request["query"], call?: CallOptions) => read(send({ query: query ?? {} } as Request, init(call)));
}

/** A call with a query about what the id in the path names. */
export function gettingOf<Request extends { param: { id: string }; query: unknown }, Body>(send: Send<Request, Body>) {
  return (id: string, query?: Request["query"], call?: CallOptions) =>
    read(send({ param: { id }, query: query ?? {} } as Request, init(call)));
}

/** A call that takes nothing. */
export function reading<Body>(send: Send<Record<never, never>, Body>) {
  return (call?: CallOptions) => read(send({}, init(call)));
}

export function init({ signal }: CallOptions = {}): SendOptions {
  return signal === undefined ? {} : { init: { signal } };
}

async function read<Body>(answer: Promise<Answer<Body>>): Promise<Result<ItemsOf<Body>, BesideOf<Body>>> {
  // The routes are typed by the answers of calls that go well; any other answer is a failure.
  const body = await bodyOf(await answer);
  return toResult<Body>(body as (Body & { status: true }) | Failure);
}
