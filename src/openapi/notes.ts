import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { AppEnv } from "../app-env.ts";
import type { FailureName } from "./failures.ts";

/** A header of an answer, beside those that every answer carries. */
export interface HeaderNote {
  description: string;
  example: string;
}

/** What the reference says about an endpoint beside what its handlers note. */
export interface Operation extends Notes {
  /** Its name in a generated client. */
  id: string;
  summary: string;
  description: string;
  /** The whole body of a successful call; left out where a WebSocket is opened instead. */
  answer?: z.ZodType;
  /** What it answers instead, one JSON object a line: each as the feed takes it. */
  lines?: z.ZodType;
  /** What the service sends over the WebSocket, as JSON text. */
  frames?: z.ZodType;
  examples: readonly Example[];
}

/** A request of the demo program's customer c1. A test records the answers in examples.json. */
export interface Example {
  summary: string;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Record<string, unknown>;
  /** What no request is answered: a frame. */
  answer?: object | undefined;
}

/** What a handler or middleware says about itself, and so about every endpoint behind it. */
export interface Notes {
  /** What it takes from the request. */
  parameters?: { in: "query" | "path"; schema: z.ZodObject };
  body?: { mediaType: string; schema: z.ZodType };
  headers?: Readonly<Record<string, HeaderNote>>;
  /** Whether its answer has a bookmark of the database. */
  hasBookmark?: true;
  /** Whether it may answer 304, without a body, instead of what went well. */
  mayBeUnchanged?: true;
  /** The failures that it may answer with. */
  failures?: readonly FailureName[];
  /** The token that it requires. */
  token?: "customer" | "feed" | "export" | "lookup";
}

const notes = new WeakMap<object, Notes>();

/** Notes what the reference says about a handler, and returns the handler. */
export function annotate<Handler extends object>(handler: Handler, its: Notes): Handler {
  notes.set(handler, its);
  return handler;
}

/** A middleware, and what the reference says about it. */
export function middleware(its: Notes, handler: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> {
  return annotate(handler, its);
}

export function notesOf(handler: object): Notes {
  return notes.get(handler) ?? {};
}
