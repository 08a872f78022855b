import { TimedOut } from "../values/timeout.ts";
import type { Outcome } from "./circuit-breaker.ts";

/**
 * How D1 fails, named by its documented messages (developers.cloudflare.com/d1/observability/debug-d1): the connection was
 * lost, the database was reset or is overloaded, has not answered in time, exceeded its memory or CPU, or is full; or the
 * free plan's rows of the day are used up.
 */
export type DatabaseFault =
  | "lost"
  | "reset"
  | "overloaded"
  | "stalled"
  | "exceeded"
  | "daily_limit"
  | "full"
  | "unknown";

/** D1 does not answer, or not in time, or it is full and refuses what adds to it; `cause` is what it said, if anything. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly fault: DatabaseFault;

  constructor(cause: unknown, fault: DatabaseFault) {
    super("The database cannot be reached.", { cause });
    this.fault = fault;
  }
}

/** Too many calls of the primary in a row were not answered in time, so this one was not sent. */
export class PrimaryStalled extends Error {
  override readonly name = "PrimaryStalled";

  constructor() {
    super("The primary has not answered in time.");
  }
}

/** The fault of D1 that an error stands for or was caused by; undefined where there is none. */
export function databaseFaultOf(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) return error.fault;
  return error instanceof Error ? databaseFaultOf(error.cause) : undefined;
}

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
function isOutage(error: unknown): error is Error {
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
  return isOutage(error) ? new DatabaseUnavailable(error, faultIn(error)) : error;
}
