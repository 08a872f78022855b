import type { Failure, MessageGroup } from "./shapes.ts";
import type { Act } from "./till-calls.ts";

/** Facts about the answer, in every result. */
interface AnswerFacts {
  httpStatus: number;
  /** The id of the request in the service's log. Empty if a proxy has removed it. */
  requestId: string;
}

/** The service refused the call, or has no items. */
export type FailedResult = Failure &
  AnswerFacts & {
    /** After how many milliseconds the service asks to be tried again; left out if it does not. */
    retryAfterMs?: number;
  };

/** The result of a call: its items, with the extra data of some answers, or the failure. */
export type Result<Items, Extra = unknown> = ({ status: true; items: Items } & AnswerFacts & Extra) | FailedResult;

/** The result of a list in pages. */
export type PagedResult<Items> = Result<Items, Following<Items>>;

interface Following<Items> {
  /** Asks for the next page; null on the last page. */
  next: ((call?: CallOptions) => Promise<PagedResult<Items>>) | null;
}

export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The position where `newMessages` begins: a time of the service, or the last group that was dealt with. */
export type Since = string | Pick<MessageGroup, "group_id" | "last_message_time">;

/** No answer came, or an iteration cannot go on. */
export class LoyaltyError extends Error {
  override readonly name = "LoyaltyError";
  /** The service's answer; null if it did not answer, and then `cause` says why. */
  readonly failure: FailedResult | null;
  /** The position of `newMessages`. If it is started with this as `since`, nothing is lost and nothing comes twice. */
  declare since?: Since;
  /** The act of a till that was given up, with its id. */
  declare act?: Act;

  constructor(message: string, { failure = null, cause }: { failure?: FailedResult | null; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.failure = failure;
  }
}
