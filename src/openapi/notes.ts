import type * as z from "zod";
import type { Scope } from "../auth/token.ts";
import { notDuringRestore } from "../middleware/acts.ts";
import { conditional } from "../middleware/conditional.ts";
import { databaseAtBookmark, databaseAtPrimary } from "../middleware/database.ts";
import { observe } from "../middleware/observe.ts";
import { addressLimited } from "../middleware/rate-limit.ts";
import { changesOnly, customerOnly, exportOnly, feedOnly, tillOnly } from "../middleware/token.ts";
import { schemasOf } from "../middleware/validate.ts";
import type { FailureName } from "./failures.ts";
import type { HEADERS } from "./texts.ts";

/** The description of an endpoint. The notes of its middleware are added. */
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

/** A part of the description of an endpoint. */
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

const OF_TOKEN = ["Unauthenticated", "Forbidden", "TooManyRequests", "Unavailable"] as const;
const OF_DATABASE = { headers: ["X-D1-Bookmark"], failures: ["Unavailable"] } as const;

/** What each middleware adds to the reference of the endpoints behind it. */
const NOTES: ReadonlyMap<object, Notes> = new Map<object, Notes>([
  // Every endpoint is behind `observe` and `knownRoutes`.
  [observe, { failures: ["InternalError", "MethodNotAllowed"] }],
  [customerOnly, { token: "customer", failures: OF_TOKEN }],
  [exportOnly, { token: "export", failures: OF_TOKEN }],
  [changesOnly, { token: "export", failures: OF_TOKEN }],
  [tillOnly, { token: "till", failures: OF_TOKEN }],
  [feedOnly, { token: "feed", failures: ["Unauthenticated", "ForeignLines", "TooManyRequests", "Unavailable"] }],
  [databaseAtBookmark, { ...OF_DATABASE, readsFrom: "bookmark" }],
  [databaseAtPrimary, { ...OF_DATABASE, readsFrom: "primary" }],
  [notDuringRestore, { failures: ["Unavailable", "DatabaseFull"] }],
  [addressLimited, { failures: ["TooManyRequests"] }],
  [conditional, { headers: ["ETag"] }],
]);

export function notesOf(handler: object): Notes {
  const { query, json } = schemasOf(handler);
  const failures = ["RequestTimeout", "PayloadTooLarge", "InvalidFields"] as const;
  if (query) return { parameters: { in: "query", schema: query }, failures: ["BodyOfGet", ...failures] };
  if (json === undefined) return NOTES.get(handler) ?? {};
  return { body: { mediaType: "application/json", schema: json }, failures: ["MalformedBody", ...failures] };
}
