/** D1 does not answer, or not in time; `cause` is what it said, if anything. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";

  constructor(cause: unknown) {
    super("The database cannot be reached.", { cause });
  }
}

/** Statements that take more memory to send than a Worker has to spare. Nothing was sent. */
export class WriteTooLarge extends Error {
  override readonly name = "WriteTooLarge";

  constructor() {
    super("The statements are larger than one request to D1.");
  }
}
