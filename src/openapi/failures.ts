import { bodyTooLarge, CUT_OFF, JSON_BODY_LIMIT } from "../http/body.ts";
import * as errors from "../http/errors.ts";
import { NAMED_LINES, REQUESTS_A_MINUTE } from "../http/limits.ts";

const REQUEST_ID = "7f3c2a54-52a8-4b1e-9d0e-1b6f4f0c9a11";

/** Every failure: its meaning for a client, and an example. */
export const FAILURES = {
  NoItems: {
    description: "There is nothing to return. That is not a fault, so the status is 200.",
    example: errors.noItems("No messages are available."),
  },
  MalformedBody: {
    description: "The body is not a JSON object.",
    example: errors.malformedBody(),
  },
  BrokenBody: {
    description: "The body was cut off. Nothing was applied: send it again.",
    example: errors.malformedBody(CUT_OFF),
  },
  Unauthenticated: {
    description: "There is no token, or a bad or expired one. One answer for every cause.",
    example: errors.unauthenticated(),
  },
  Forbidden: {
    description: "The token is valid, but has the wrong scope.",
    example: errors.forbidden("This needs a token with the scope customer."),
  },
  ForeignLines: {
    description:
      "The token has the wrong scope, or lines touch an account that it does not cover. Nothing was applied.",
    example: errors.forbidden("Lines 3, 9 touch an account that the token does not cover."),
  },
  ForeignPage: {
    description: "A page of an origin that `CORS_ORIGINS` does not name asked. An app sends no `Origin`.",
    example: errors.foreignPage(),
  },
  NotFound: {
    description: "What the path names does not exist, or the caller may not see it.",
    example: errors.notFound("There is no store with this id."),
  },
  MethodNotAllowed: {
    description: "The path does not take this method. `Allow` names the methods that it takes.",
    example: errors.methodNotAllowed(["POST"]),
  },
  RequestTimeout: {
    description: "The body was not complete after 60 seconds. Nothing was applied.",
    example: errors.requestTimeout(),
  },
  PayloadTooLarge: {
    description: "The body is over a limit; the message names it.",
    example: bodyTooLarge(JSON_BODY_LIMIT),
  },
  TooMuchForDatabase: {
    description:
      "The database ran out of memory or CPU. Send the lines in smaller requests; a single line again, after `Retry-After` seconds.",
    example: errors.tooMuchForDatabase(),
  },
  InvalidFields: {
    description: "Fields of the request break a rule. Every bad field is named, with what to correct.",
    example: errors.invalid({ latitude: ["must be at most 90"], single_account_id: ["is required"] }),
  },
  InvalidLines: {
    description: `Lines break a rule. Up to ${NAMED_LINES} of them are named, with their fields. Nothing was applied.`,
    example: errors.invalid({ "line 3.latitude": ["must be at most 90"], "line 9.record": ["is required"] }),
  },
  UpgradeRequired: {
    description: "The request is not a WebSocket handshake: it has no `Upgrade: websocket`.",
    example: errors.upgradeRequired(),
  },
  RefusedRankOn: {
    description: "`rank_on` is none of the four values. The answer has a message but no code.",
    example: errors.refused("rank_on must be one of run, hit, double or triple."),
  },
  TooManyRequests: {
    description: `More requests than the limit: ${REQUESTS_A_MINUTE.customer} a minute for a customer, ${REQUESTS_A_MINUTE.address} for an address without a valid token.`,
    example: errors.tooManyRequests(),
  },
  InternalError: {
    description: "A bug of the service. The message holds the id to report.",
    example: errors.internalError(REQUEST_ID),
  },
  Unavailable: {
    description:
      "Something that the service depends on does not answer. Try again after `Retry-After` seconds: hours, if the rows of a day on D1's free plan are used up.",
    example: errors.databaseUnavailable(),
  },
  DatabaseFull: {
    description:
      "The database is at its largest size, and a line would add to it. Nothing was applied. Requests that only delete are taken.",
    example: errors.databaseFull(),
  },
};

export type FailureName = keyof typeof FAILURES;
