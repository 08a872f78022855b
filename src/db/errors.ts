/** D1 does not answer, or not in time; `cause` is what it said, if anything. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";

  constructor(cause: unknown) {
    super("The database cannot be reached.", { cause });
  }
}

/** D1 has reached its largest size: it refuses what adds to it, and goes on answering reads. */
export class DatabaseFull extends Error {
  override readonly name = "DatabaseFull";

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

/** Statements that take more memory to send than a Worker has to spare. Nothing was sent. */
export class WriteTooLarge extends Error {
  override readonly name = "WriteTooLarge";

  constructor() {
    super("The statements are larger than one request to D1.");
  }
}
