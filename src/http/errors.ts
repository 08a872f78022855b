import type { Context } from "hono";
import { DatabaseUnavailable } from "../db/errors.ts";
import type { FieldMessages } from "../values/messages.ts";
import type { Failure } from "./failure-schema.ts";
import { LIMIT_PERIOD_SECONDS } from "./limits.ts";

type FailureStatus = 200 | 400 | 401 | 403 | 404 | 405 | 408 | 413 | 422 | 426 | 429 | 500 | 503 | 507;

interface Details {
  headers?: Record<string, string>;
  /** For the log: no client is told. */
  cause?: unknown;
}

/** A failed call: thrown anywhere, answered in one place (`app.onError`). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: FailureStatus;
  readonly body: Failure;
  readonly headers: Record<string, string>;

  constructor(
    status: FailureStatus,
    errorCode: Failure["errorCode"],
    text: string | FieldMessages,
    { headers = {}, cause }: Details = {},
  ) {
    super(errorCode ?? "refused", { cause });
    this.status = status;
    const said = typeof text === "string" ? { message: text } : { messages: text };
    this.body = { status: false, ...(errorCode && { errorCode }), ...said };
    this.headers = headers;
  }
}

/** The answer is empty, which is not a fault: 200. */
export const noItems = (message: string) => new ApiError(200, "NO_ITEMS", message);

/** Fields that break a rule, all of them at once. */
export const invalid = (messages: FieldMessages) => new ApiError(422, "VALIDATION_EXCEPTION", messages);

/** A `rank_on` that is not allowed: the answer has a message but no code (docs/contract/interface.md, 3). */
export const refused = (message: string) => new ApiError(422, undefined, message);

/** A body that is not a JSON object, or is none at all. */
export const malformedBody = (text = "must be a JSON object") =>
  new ApiError(400, "VALIDATION_EXCEPTION", { body: [text] });

/** No token or a bad one: one answer for every cause, so that it tells an attacker nothing. */
export const unauthenticated = (hint = "") =>
  new ApiError(401, "UNAUTHENTICATED", `A valid bearer token is needed.${hint}`, {
    headers: { "WWW-Authenticate": "Bearer" },
  });

/** A token that is valid, but not for this. */
export const forbidden = (message: string) => new ApiError(403, "FORBIDDEN", message);

/** A page of an origin that may not call (docs/contract/interface.md, 6). */
export const foreignPage = () => forbidden("Pages of this origin may not call: CORS_ORIGINS does not name it.");

export const notFound = (message: string) => new ApiError(404, "NOT_FOUND", message);

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  const methods = allowed.join(", ");
  return new ApiError(405, "METHOD_NOT_ALLOWED", `This path answers ${methods} only.`, { headers: { Allow: methods } });
}

/** A body that is not whole after 60 seconds. */
export const requestTimeout = () => new ApiError(408, "REQUEST_TIMEOUT", "The body came too slowly. Send it again.");

export const payloadTooLarge = (message: string, details?: Details) =>
  new ApiError(413, "PAYLOAD_TOO_LARGE", message, details);

/** A plain request where a WebSocket is served. */
export const upgradeRequired = () =>
  new ApiError(426, "UPGRADE_REQUIRED", "This path answers a WebSocket handshake only: send Upgrade: websocket.", {
    headers: { Upgrade: "websocket" },
  });

export const tooManyRequests = () =>
  new ApiError(429, "TOO_MANY_REQUESTS", `Too many requests. Try again in ${LIMIT_PERIOD_SECONDS} seconds.`, {
    headers: retryAfter(LIMIT_PERIOD_SECONDS),
  });

/** A single line is too: another request may have used the memory up. So it says when to try again. */
export const tooMuchForDatabase = (cause?: unknown) =>
  payloadTooLarge("This request is too much for the database. Send fewer lines.", {
    headers: retryAfter(RETRY_AFTER_OUTAGE_SECONDS),
    cause,
  });

const RETRY_AFTER_OUTAGE_SECONDS = 2;

function retryAfter(seconds: number) {
  return { "Retry-After": String(seconds) };
}

/** Something that this service leans on does not answer. */
export const unavailable = (message: string, cause?: unknown, seconds = RETRY_AFTER_OUTAGE_SECONDS) =>
  new ApiError(503, "UNAVAILABLE", message, { headers: retryAfter(seconds), cause });

export const databaseUnavailable = (cause?: unknown) =>
  unavailable("The database cannot be reached. Try again in a moment.", cause);

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** D1's free plan answers nothing more until 00:00 UTC, by its clock: right after that by this one, its day may not be over. */
function dailyLimitReached(cause: unknown): ApiError {
  const passed = Math.floor(Date.now() / 1_000) % DAY_SECONDS;
  const message = "The database's rows of the day are used up. Try again after 00:00 UTC.";
  return unavailable(message, cause, passed < MINUTE_SECONDS ? MINUTE_SECONDS : DAY_SECONDS - passed);
}

/** It does not help to come back: somebody has to make room. */
export const databaseFull = (cause?: unknown) =>
  new ApiError(
    507,
    "DATABASE_FULL",
    "The database is full. Delete what is not needed any more, or split the program; then send this again.",
    { cause },
  );

/** A bug: the answer names the request and nothing of the cause. */
export const internalError = (requestId: string) =>
  new ApiError(500, "INTERNAL_ERROR", `Something went wrong on our side. If it persists, report request ${requestId}.`);

/** The failure that an error stands for: one of the API itself, or of `db/`; undefined for a bug. */
export function failureOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  const { fault, cause } = error;
  if (fault === "full") return databaseFull(cause);
  return (fault === "daily_limit" ? dailyLimitReached : databaseUnavailable)(cause);
}

/** Answers whatever was thrown: a failure of the API as it is, a bug without its cause. */
export function answerFailure(error: Error, c: Context): Response {
  const { body, status, headers } = failureOf(error) ?? internalError(c.var.requestId);
  return c.json(body, status, headers);
}
