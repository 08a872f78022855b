import * as z from "zod";
import { NotLetIn, type Refusal } from "../auth/errors.ts";
import { DatabaseFull, DatabaseUnavailable } from "../db/errors.ts";
import type { FieldMessages } from "../values/messages.ts";

/** Every body that a failed call can have (docs/contract/interface.md, 3). */
export const Failure = z.object({
  status: z.literal(false).describe("False: the call failed."),
  errorCode: z
    .enum([
      "NO_ITEMS",
      "VALIDATION_EXCEPTION",
      "UNAUTHENTICATED",
      "FORBIDDEN",
      "NOT_FOUND",
      "METHOD_NOT_ALLOWED",
      "REQUEST_TIMEOUT",
      "PAYLOAD_TOO_LARGE",
      "UPGRADE_REQUIRED",
      "TOO_MANY_REQUESTS",
      "UNAVAILABLE",
      "INTERNAL_ERROR",
      "DATABASE_FULL",
    ])
    .optional()
    .describe("What failed, for a program."),
  message: z.string().optional().describe("What failed, in words."),
  messages: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe("Every bad field with what to correct, in words."),
});
export type Failure = z.output<typeof Failure>;

type FailureStatus = 200 | 400 | 401 | 403 | 404 | 405 | 408 | 413 | 422 | 426 | 429 | 500 | 503 | 507;

/** A failed call: thrown anywhere, answered in one place (`app.onError`). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: FailureStatus;
  readonly body: Failure;
  readonly headers: Record<string, string>;

  constructor(status: FailureStatus, body: Omit<Failure, "status">, headers: Record<string, string> = {}) {
    super(body.errorCode ?? "refused");
    this.status = status;
    this.body = { status: false, ...body };
    this.headers = headers;
  }
}

/** The answer is empty, which is not a fault: 200. */
export function noItems(message: string): ApiError {
  return new ApiError(200, { errorCode: "NO_ITEMS", message });
}

/** Fields that break a rule, all of them at once. */
export function invalid(messages: FieldMessages): ApiError {
  return new ApiError(422, { errorCode: "VALIDATION_EXCEPTION", messages });
}

/** A `rank_on` that is not allowed: the answer has a message but no code (docs/contract/interface.md, 3). */
export function refused(message: string): ApiError {
  return new ApiError(422, { message });
}

/** A body that is not a JSON object, or is none at all. */
export function malformedBody(text = "must be a JSON object"): ApiError {
  return new ApiError(400, { errorCode: "VALIDATION_EXCEPTION", messages: { body: [text] } });
}

/** No token or a bad one: one answer for every cause, so that it tells an attacker nothing. */
export function unauthenticated(hint = ""): ApiError {
  const message = `A valid bearer token is needed.${hint}`;
  return new ApiError(401, { errorCode: "UNAUTHENTICATED", message }, { "WWW-Authenticate": "Bearer" });
}

/** A token that is valid, but not for this. */
export function forbidden(message: string): ApiError {
  return new ApiError(403, { errorCode: "FORBIDDEN", message });
}

/** A page of an origin that may not call (docs/contract/interface.md, 6). */
export function foreignPage(): ApiError {
  return forbidden("Pages of this origin may not call: CORS_ORIGINS does not name it.");
}

export function notFound(message: string): ApiError {
  return new ApiError(404, { errorCode: "NOT_FOUND", message });
}

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  const methods = allowed.join(", ");
  const message = `This path answers ${methods} only.`;
  return new ApiError(405, { errorCode: "METHOD_NOT_ALLOWED", message }, { Allow: methods });
}

/** A body that is not whole after 60 seconds. */
export function requestTimeout(): ApiError {
  return new ApiError(408, { errorCode: "REQUEST_TIMEOUT", message: "The body came too slowly. Send it again." });
}

export function payloadTooLarge(message: string): ApiError {
  return new ApiError(413, { errorCode: "PAYLOAD_TOO_LARGE", message });
}

/** A plain request where a WebSocket is served. */
export function upgradeRequired(): ApiError {
  const message = "This path answers a WebSocket handshake only: send Upgrade: websocket.";
  return new ApiError(426, { errorCode: "UPGRADE_REQUIRED", message }, { Upgrade: "websocket" });
}

export function tooManyRequests(retryAfterSeconds: number): ApiError {
  const message = `Too many requests. Try again in ${retryAfterSeconds} seconds.`;
  const headers = { "Retry-After": String(retryAfterSeconds) };
  return new ApiError(429, { errorCode: "TOO_MANY_REQUESTS", message }, headers);
}

/** A single line is too: another request may have used the memory up. So it says when to try again. */
export function tooMuchForDatabase(cause?: unknown): ApiError {
  const headers = { "Retry-After": String(RETRY_AFTER_OUTAGE_SECONDS) };
  const message = "This request is too much for the database. Send fewer lines.";
  const error = new ApiError(413, { errorCode: "PAYLOAD_TOO_LARGE", message }, headers);
  error.cause = cause;
  return error;
}

const RETRY_AFTER_OUTAGE_SECONDS = 2;

/** Something that this service leans on does not answer; `cause` goes to the log and never to the client. */
export function unavailable(message: string, cause?: unknown, retryAfter = RETRY_AFTER_OUTAGE_SECONDS): ApiError {
  const headers = { "Retry-After": String(retryAfter) };
  const error = new ApiError(503, { errorCode: "UNAVAILABLE", message }, headers);
  error.cause = cause;
  return error;
}

export function databaseUnavailable(cause?: unknown): ApiError {
  return unavailable("The database cannot be reached. Try again in a moment.", cause);
}

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** D1's free plan answers nothing more until 00:00 UTC, by its clock: right after that by this one, its day may not be over. */
function dailyLimitReached(cause: unknown): ApiError {
  const passed = Math.floor(Date.now() / 1_000) % DAY_SECONDS;
  const message = "The database's rows of the day are used up. Try again after 00:00 UTC.";
  return unavailable(message, cause, passed < MINUTE_SECONDS ? MINUTE_SECONDS : DAY_SECONDS - passed);
}

/** It does not help to come back: somebody has to make room. */
export function databaseFull(cause?: unknown): ApiError {
  const message =
    "The database is full. Delete what is not needed any more, or split the program; then send this again.";
  const error = new ApiError(507, { errorCode: "DATABASE_FULL", message });
  error.cause = cause;
  return error;
}

/** The failure that an error stands for: one of the API itself, of `auth/` or of `db/`; undefined for a bug. */
export function failureOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof NotLetIn) return notLetIn(error.refusal);
  if (error instanceof DatabaseUnavailable)
    return (error.fault === "daily_limit" ? dailyLimitReached : databaseUnavailable)(error.cause);
  if (error instanceof DatabaseFull) return databaseFull(error.cause);
  return undefined;
}

function notLetIn(refusal: Refusal): ApiError {
  switch (refusal.reason) {
    case "no good token":
      return unauthenticated(refusal.hint);
    case "wrong token":
      return forbidden(refusal.needed);
    case "no keys":
      return unavailable("Tokens cannot be checked. Try again in a moment.");
    case "too many requests":
      return tooManyRequests(refusal.retryAfterSeconds);
  }
}

/** A bug: the answer names the request and nothing of the cause. */
export function internalError(requestId: string): ApiError {
  const message = `Something went wrong on our side. If it persists, report request ${requestId}.`;
  return new ApiError(500, { errorCode: "INTERNAL_ERROR", message });
}
