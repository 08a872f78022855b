import { BODY_OF_GET, bodyTooLarge, CUT_OFF, JSON_BODY_LIMIT } from "../http/body.ts";
import * as errors from "../http/errors.ts";
import { NAMED_LINES, REQUESTS_A_MINUTE } from "../http/limits.ts";

const REQUEST_ID = "7f3c2a54-52a8-4b1e-9d0e-1b6f4f0c9a11";

/** An example of every failure. */
export const FAILURES = {
  NoItems: errors.noItems("No messages are available."),
  MalformedBody: errors.malformedBody(),
  BrokenBody: errors.malformedBody(CUT_OFF),
  BodyOfGet: errors.malformedBody(BODY_OF_GET),
  Unauthenticated: errors.unauthenticated(),
  Forbidden: errors.forbidden("This needs a token with the scope customer."),
  ForeignLines: errors.forbidden("Lines 3, 9 touch an account that the token does not cover."),
  ForeignPage: errors.foreignPage(),
  NotFound: errors.notFound("There is no store with this id."),
  MethodNotAllowed: errors.methodNotAllowed(["POST"]),
  Conflict: errors.conflict("This id was used before with another content: customer_coupon_id differs."),
  NotPossible: errors.notPossible("This coupon cannot be used: not_used_up does not hold.", [
    { check: "not_used_up", holds: false, detail: "3 of 3 uses" },
  ]),
  RequestTimeout: errors.requestTimeout(),
  StartAgain: errors.startAgain(),
  PayloadTooLarge: bodyTooLarge(JSON_BODY_LIMIT),
  TooMuchForDatabase: errors.tooMuchForDatabase(),
  InvalidFields: errors.invalid({ latitude: ["must be at most 90"], single_account_id: ["is required"] }),
  InvalidLines: errors.invalid({ "line 3.latitude": ["must be at most 90"], "line 9.record": ["is required"] }),
  RefusedRankOn: errors.refused("rank_on must be one of run, hit, double or triple."),
  UpgradeRequired: errors.upgradeRequired(),
  TooManyRequests: errors.tooManyRequests(),
  InternalError: errors.internalError(REQUEST_ID),
  Unavailable: errors.databaseUnavailable(),
  DatabaseFull: errors.databaseFull(),
};

export type FailureName = keyof typeof FAILURES;

/** What each status of a failure means for a client. */
export const MEANINGS: Readonly<Record<errors.FailureStatus, string>> = {
  200: "The call went well; or there is nothing to return, which is no fault: then `status` is false.",
  400: "The body is not a JSON object, or was cut off; or a GET has one. Nothing was applied.",
  401: "There is no token, or a bad or expired one. One answer for every cause.",
  403: "The token has the wrong scope, or does not cover an account; or `CORS_ORIGINS` does not name the page's origin. Nothing was applied.",
  404: "What the path names does not exist, or the caller may not see it.",
  405: "The path does not take this method. `Allow` names the methods that it takes.",
  408: "The body was not complete after 60 seconds. Nothing was applied.",
  409: "The `id` was used before with another content. `message` names the fields that differ.",
  410: "Changes after the cursor may be missing. Take an export, and go on from its cursor.",
  413: "The body is over a limit, which the message names; or the database ran out of memory or CPU. Send less, and a single line again after `Retry-After` seconds.",
  422: `Fields or lines break a rule. Every bad field is named, and up to ${NAMED_LINES} bad lines, with what to correct. Or what a till asked is not possible now: \`checks\` says why. Nothing was applied.`,
  426: "The request is not a WebSocket handshake: it has no `Upgrade: websocket`.",
  429: `More requests than the limit: ${REQUESTS_A_MINUTE.customer} a minute for a customer or a till, ${REQUESTS_A_MINUTE.address} for an address without a valid token.`,
  500: "A bug of the service. The message holds the id to report.",
  503: "Something that the service depends on does not answer. Try again after `Retry-After` seconds: hours, if the rows of a day on D1's free plan are used up.",
  507: "The database is at its largest size, and a line would add to it. Nothing was applied. Requests that only delete are taken.",
};
