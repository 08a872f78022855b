import { TimedOut } from "../values/timeout.ts";
import type { Outcome } from "./circuit-breaker.ts";

// The messages of D1 for each fault (test/db/errors.test.ts has them all); the first match counts. `full`: the database has
// 10 GB, or all databases of the account are at their limit. `exceeded`: a statement took too much memory or CPU.
// `daily_limit`: the free plan allows no more rows today.
const MESSAGES = [
  ["full", /Exceeded maximum DB size|maximum account storage|SQLITE_FULL|database or disk is full/],
  ["daily_limit", /daily row .*limit/],
  ["exceeded", /exceeded its (memory|CPU)|SQLITE_NOMEM/],
  ["overloaded", /overloaded/],
  ["reset", /caused object to be reset|its code was updated|internal error; reference/],
  ["lost", /Network connection lost|Replica disconnected|transient issue|client disconnected/],
] as const;

type DatabaseFault = (typeof MESSAGES)[number][0] | "stalled" | "unknown";

/** D1 does not answer in time, or is full and refuses a write. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly fault: DatabaseFault;

  constructor(cause: unknown, fault: DatabaseFault) {
    super("The database cannot be reached.", { cause });
    this.fault = fault;
  }
}

/** The call was not sent, because the primary did not answer the last calls in time. */
export class PrimaryStalled extends Error {
  override readonly name = "PrimaryStalled";
}

/** The fault of D1 that caused an error, if any. */
export function databaseFaultOf(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) return error.fault;
  return error instanceof Error ? databaseFaultOf(error.cause) : undefined;
}

// The codes that SQLite and D1 give to an error of the statement itself. With any other error, D1 has failed.
const STATEMENT_FAULT =
  /SQLITE_(?!BUSY|LOCKED|NOMEM|INTERRUPT|IOERR|FULL|CANTOPEN)[A-Z]+|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND|No SQL statements/;

function faultIn(error: Error): DatabaseFault {
  if (error instanceof TimedOut || error instanceof PrimaryStalled) return "stalled";
  return MESSAGES.find(([, message]) => message.test(error.message))?.[0] ?? "unknown";
}

/** Whether D1 itself failed, and not the statement. */
function isOutage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !STATEMENT_FAULT.test(error.message);
}

/** Whether the same statements may succeed if they are sent again at once. */
export function isTransient(error: unknown): boolean {
  // A statement that exceeded a limit, such as "storage operation exceeded timeout", would exceed it again.
  return isOutage(error) && ["lost", "reset"].includes(faultIn(error)) && !/exceeded/.test(error.message);
}

/** Whether the same statements would also fail at the primary, or make its overload worse. */
export function wouldFailAtPrimary(error: unknown): boolean {
  return !isOutage(error) || ["overloaded", "exceeded", "daily_limit"].includes(faultIn(error));
}

/** If D1 refuses because of a limit (`full`, `daily_limit`), the primary has answered. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof TimedOut) return "timed out";
  return isOutage(error) && !["full", "daily_limit"].includes(faultIn(error)) ? "failed" : "answered";
}

/** Turns an outage into `DatabaseUnavailable`; any other error is returned as it is. */
export function toDatabaseError(error: unknown): unknown {
  return isOutage(error) ? new DatabaseUnavailable(error, faultIn(error)) : error;
}
