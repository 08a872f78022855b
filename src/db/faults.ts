import { TimedOut } from "../values/timeout.ts";
import type { Outcome } from "./circuit-breaker.ts";
import { type DatabaseFault, DatabaseFull, DatabaseUnavailable, PrimaryStalled } from "./errors.ts";

// An error of the statement itself has SQLite's code, or D1's own for a wrong value. Anything else: D1 did not answer.
const OWN_FAULT = /SQLITE_(?!BUSY|LOCKED|NOMEM|INTERRUPT|IOERR|FULL|CANTOPEN)[A-Z]+|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND/;

// D1's messages (developers.cloudflare.com/d1/observability/debug-d1); the first that fits counts. One database may hold
// 10 GB, and an account has a limit for all of its databases.
const MESSAGES: readonly (readonly [DatabaseFault, RegExp])[] = [
  ["full", /Exceeded maximum (DB size|account storage)|SQLITE_FULL|database or disk is full/],
  ["daily_limit", /daily row .*limit/],
  ["exceeded", /exceeded its (memory|CPU)|SQLITE_NOMEM/],
  ["overloaded", /overloaded/],
  ["reset", /caused object to be reset|its code was updated/],
  ["lost", /Network connection lost|transient issue|client disconnected/],
];

/** How D1 failed, by what it says. */
function faultIn(error: Error): DatabaseFault {
  if (error instanceof TimedOut || error instanceof PrimaryStalled) return "stalled";
  return MESSAGES.find(([, message]) => message.test(error.message))?.[0] ?? "unknown";
}

/** Whether D1 itself failed, and not the statement. */
export function isOutage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !OWN_FAULT.test(error.message);
}

/** Whether the same statements may be answered when they are sent again at once. */
export function isPassing(error: unknown): boolean {
  // Statements that took too long would do so again.
  return isOutage(error) && ["lost", "reset"].includes(faultIn(error)) && !/exceeded/.test(error.message);
}

/** Whether the same statements would fail at the primary too, or only add to what D1 cannot do. */
export function isHopeless(error: unknown): boolean {
  return !isOutage(error) || ["overloaded", "exceeded", "daily_limit"].includes(faultIn(error));
}

/** What a failed call says to the circuit breaker. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof TimedOut) return "timed out";
  return isOutage(error) && !["full", "daily_limit"].includes(faultIn(error)) ? "failed" : "answered";
}

/** The error that an outage becomes, or any other as it is. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof Error && faultIn(error) === "full") return new DatabaseFull(error);
  return isOutage(error) ? new DatabaseUnavailable(error, faultIn(error)) : error;
}
