import type { Context } from "hono";
import { DatabaseUnavailable } from "../db/errors.ts";
import type { FieldMessages } from "../values/messages.ts";
import type { Check, Failure } from "./answer-schema.ts";
import { LIMIT_PERIOD_SECONDS } from "./limits.ts";

export type FailureStatus =
  | 200
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 422
  | 426
  | 429
  | 500
  | 503
  | 507;

const RETRY_AFTER_OUTAGE_SECONDS = 2;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

interface Details {
  headers?: Record<string, string>;
  checks?: readonly Check[];
  /** Only for the log. */
  cause?: unknown;
}

/** A failed request. Code throws it anywhere, and `app.onError` answers it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: FailureStatus;
  readonly body: Failure;
  readonly headers: Record<string, string>;

  constructor(
    status: FailureStatus,
    errorCode: Failure["errorCode"],
    text: string | FieldMessages,
    { headers = {}, checks, cause }: Details = {},
  ) {
    super(errorCode ?? "refused", { cause });
    this.status = status;
    const explanation = typeof text === "string" ? { message: text } : { messages: text };
    this.body = {
      status: false,
      ...(errorCode && { errorCode }),
      ...explanation,
      ...(checks && { checks: [...checks] }),
    };
    this.headers = headers;
  }
}

/** An empty list is not an error, so the status is 200. */
export const noItems = (message: string) => new ApiError(200, "NO_ITEMS", message);

export const invalid = (messages: FieldMessages) => new ApiError(422, "VALIDATION_EXCEPTION", messages);

/** A bad `rank_on` gets a message without a code (docs/contract/interface.md, 3). */
export const refused = (message: string) => new ApiError(422, undefined, message);

export const malformedBody = (text = "must be a JSON object") =>
  new ApiError(400, "VALIDATION_EXCEPTION", { body: [text] });

/** The token is missing or bad. Every cause has the same answer, so an attacker learns nothing. */
export const unauthenticated = (hint = "") =>
  new ApiError(401, "UNAUTHENTICATED", `A valid bearer token is needed.${hint}`, {
    headers: { "WWW-Authenticate": "Bearer" },
  });

export const forbidden = (message: string) => new ApiError(403, "FORBIDDEN", message);

export const foreignPage = () => forbidden("Pages of this origin may not call: CORS_ORIGINS does not name it.");

export const notFound = (message: string) => new ApiError(404, "NOT_FOUND", message);

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  const methods = allowed.join(", ");
  return new ApiError(405, "METHOD_NOT_ALLOWED", `This path answers ${methods} only.`, { headers: { Allow: methods } });
}

export const requestTimeout = () => new ApiError(408, "REQUEST_TIMEOUT", "The body came too slowly. Send it again.");

/** A follower of the changes would miss some. */
export const startAgain = () =>
  new ApiError(
    410,
    "START_AGAIN",
    "Changes after this cursor may be missing. Take an export, and go on from its cursor.",
  );

/** At the till, an `id` was used before with another content (docs/contract/till.md, 1). */
export const conflict = (message: string) => new ApiError(409, "CONFLICT", message);

/** At the till: what was asked is not possible now. `checks`: those that do not hold. */
export const notPossible = (message: string, checks: readonly Check[]) =>
  new ApiError(422, "NOT_POSSIBLE", message, { checks });

export const payloadTooLarge = (message: string, details?: Details) =>
  new ApiError(413, "PAYLOAD_TOO_LARGE", message, details);

export const upgradeRequired = () =>
  new ApiError(426, "UPGRADE_REQUIRED", "This path answers a WebSocket handshake only: send Upgrade: websocket.", {
    headers: { Upgrade: "websocket" },
  });

const retryAfter = (seconds: number) => ({ "Retry-After": String(seconds) });

export const tooManyRequests = () =>
  new ApiError(429, "TOO_MANY_REQUESTS", `Too many requests. Try again in ${LIMIT_PERIOD_SECONDS} seconds.`, {
    headers: retryAfter(LIMIT_PERIOD_SECONDS),
  });

/** D1 ran out of memory or CPU. Another request may have used it up, so even a single line is worth a retry. */
export const tooMuchForDatabase = (cause?: unknown) =>
  payloadTooLarge("This request is too much for the database. Send fewer lines.", {
    headers: retryAfter(RETRY_AFTER_OUTAGE_SECONDS),
    cause,
  });

export const unavailable = (message: string, cause?: unknown, seconds = RETRY_AFTER_OUTAGE_SECONDS) =>
  new ApiError(503, "UNAVAILABLE", message, { headers: retryAfter(seconds), cause });

/** The write of a till or a customer was not answered. Whether it was done is unknown, and sending it again finds out. */
export const outcomeUnknown = (cause?: unknown) =>
  unavailable("The database did not answer in time. Send the same request again: it is done once.", cause, 1);

export const databaseUnavailable = (cause?: unknown) =>
  unavailable("The database cannot be reached. Try again in a moment.", cause);

/** `FEED = "restore"`. */
export const closedForRestore = () =>
  unavailable("The service takes only a restore now. Send this again later.", undefined, MINUTE_SECONDS);

/** D1's free plan answers again after 00:00 UTC by D1's clock, which may be a little behind the Worker's. */
function dailyLimitReached(cause: unknown): ApiError {
  const secondOfDay = Math.floor(Date.now() / 1_000) % DAY_SECONDS;
  const message = "The database's rows of the day are used up. Try again after 00:00 UTC.";
  return unavailable(message, cause, secondOfDay < MINUTE_SECONDS ? MINUTE_SECONDS : DAY_SECONDS - secondOfDay);
}

const FULL = "The database is full. Delete what is not needed any more, or split the program; then send this again.";

/** Has no `Retry-After`, because an operator has to make room first. */
export const databaseFull = (cause?: unknown) => new ApiError(507, "DATABASE_FULL", FULL, { cause });

/** A bug. The answer must not tell its cause. */
export const internalError = (requestId: string) =>
  new ApiError(500, "INTERNAL_ERROR", `Something went wrong on our side. If it persists, report request ${requestId}.`);

/** The failure to answer with. Undefined if the error is a bug. */
export function failureOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  const { fault, cause } = error;
  if (fault === "full") return databaseFull(cause);
  return fault === "daily_limit" ? dailyLimitReached(cause) : databaseUnavailable(cause);
}

export function answerFailure(error: Error, c: Context): Response {
  const { body, status, headers } = failureOf(error) ?? internalError(c.var.requestId);
  return c.json(body, status, headers);
}
