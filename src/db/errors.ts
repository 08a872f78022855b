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

/** D1 does not answer, or not in time; `cause` is what it said, if anything. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  readonly fault: DatabaseFault;

  constructor(cause: unknown, fault: DatabaseFault) {
    super("The database cannot be reached.", { cause });
    this.fault = fault;
  }
}

/** D1 has reached its largest size: it refuses what adds to it, and goes on answering reads. */
export class DatabaseFull extends Error {
  override readonly name = "DatabaseFull";
  readonly fault: DatabaseFault = "full";

  constructor(cause: unknown) {
    super("The database is full.", { cause });
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
  if (error instanceof DatabaseUnavailable || error instanceof DatabaseFull) return error.fault;
  return error instanceof Error ? databaseFaultOf(error.cause) : undefined;
}
