import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { AppEnv } from "../app-env.ts";
import type { Scope } from "../auth/token.ts";
import type { FailureName } from "./failures.ts";
import type { HEADERS } from "./texts.ts";

/** The description of an endpoint. Its middleware adds notes. */
export interface Operation extends Notes {
  /** The name of the function in a generated client. */
  id: string;
  summary: string;
  description: string;
  /** The body of a successful answer; or one of its lines, or one frame of the WebSocket. */
  answer: z.ZodType;
  answerForm?: "lines" | "frames";
  examples: readonly Example[];
}

/** A request of customer c1 of the demo program. A test records its answer in examples.json. */
export interface Example {
  summary: string;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Record<string, unknown>;
  /** An answer that no test can record: a frame. */
  answer?: object | undefined;
}

/** A middleware's part of the reference: it applies to every endpoint behind the middleware. */
export interface Notes {
  parameters?: { in: "query" | "path"; schema: z.ZodObject };
  body?: { mediaType: string; schema: z.ZodType };
  /** The headers of a good answer. With an `ETag`, the endpoint may answer 304 without a body. */
  headers?: readonly (keyof typeof HEADERS)[];
  failures?: readonly FailureName[];
  /** Where reading begins; the last note counts. At `bookmark` the request may name one in `X-D1-Bookmark`. */
  readsFrom?: "bookmark" | "primary";
  /** The scope of the required token. */
  token?: Scope;
}

const notes = new WeakMap<object, Notes>();

/** A middleware, with its notes for the reference. */
export function middleware(note: Notes, handler: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> {
  notes.set(handler, note);
  return handler;
}

export function notesOf(handler: object): Notes {
  return notes.get(handler) ?? {};
}
