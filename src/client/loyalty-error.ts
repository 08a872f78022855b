import type { FailedResult } from "./result.ts";
import type { MessageGroup } from "./shapes.ts";

/** Where `newMessages` begins: a time of the service, or the last group that was dealt with. */
export type Since = string | Pick<MessageGroup, "group_id" | "last_message_time">;

/** A call that failed where no result can be given back: no answer came, or an iteration cannot go on. */
export class LoyaltyError extends Error {
  override readonly name = "LoyaltyError";
  /** What the service answered; null where it did not answer, and then `cause` says why. */
  readonly failure: FailedResult | null;
  /** Of `newMessages`: where it stood. With this as its `since` it goes on: nothing is lost, nothing comes twice. */
  declare since?: Since;

  constructor(message: string, { failure = null, cause }: { failure?: FailedResult | null; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.failure = failure;
  }
}

export function errorOf(failure: FailedResult): LoyaltyError {
  return new LoyaltyError(failure.message ?? failure.errorCode ?? "The call failed.", { failure });
}
