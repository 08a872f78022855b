import type { Failure, MessageGroup } from "./shapes.ts";

/** What every result says of its answer. */
export interface AnswerFacts {
  /** 304 where the service said that nothing has changed: the items are those of the answer before. */
  httpStatus: number;
  /** For whoever runs the service: its log has this id. Empty where something on the way has taken it off. */
  requestId: string;
}

/** The service refused the call, or has nothing to give. */
export type FailedResult = Failure &
  AnswerFacts & {
    /** After how many milliseconds the service asked to be tried again; left out where it did not. */
    retryAfterMs?: number;
  };

/** What a call has come to: the data, with what an answer says beside it, or why there is none. */
export type Result<Items, Beside = unknown> = ({ status: true; items: Items } & AnswerFacts & Beside) | FailedResult;

/** The result of a list in pages. */
export type PagedResult<Items> = Result<Items, Following<Items>>;

export interface Following<Items> {
  /** Asks for the next page; null where this is the last. */
  next: ((call?: CallOptions) => Promise<PagedResult<Items>>) | null;
}

export interface CallOptions {
  /** Calls it off: the call then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What the result of a search says besides, if words were forgiven. */
export interface Forgiven {
  /** The words that were forgiven a typo in what was found. */
  forgiven?: string[] | undefined;
  /** For each of them, the words of records that it was taken for, most frequent first. */
  meant?: Record<string, string[]> | undefined;
}

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

/** An answer that is there as a whole: it can no longer break off. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** The result of a call whose answer has these items. @throws a LoyaltyError where the answer is not the service's. */
export function resultOf<Items>({ status: httpStatus, headers, text }: Answer): Result<Items> {
  const body = readBody(text);
  if (body === null) {
    const stranger = `Something other than the service answered, with HTTP status ${httpStatus}.`;
    throw new LoyaltyError(stranger, { cause: text });
  }
  const facts = { httpStatus, requestId: headers.get("X-Request-Id") ?? "" };
  if (!body.status) {
    const retryAfterMs = askedWait(headers);
    return { ...body, ...facts, ...(retryAfterMs !== null && { retryAfterMs }) } as FailedResult;
  }
  const { status, items, stores, customers, ...beside } = body;
  // A search without campaigns has its lists beside `status`.
  return { status, ...facts, items: (items ?? { stores, customers, campaigns: [] }) as Items, ...beside };
}

/** A body as the service types it; null for another, as a proxy or a captive network before it may answer. */
function readBody(text: string): ({ status: boolean } & Record<string, unknown>) | null {
  try {
    const body = JSON.parse(text);
    return typeof body?.status === "boolean" ? body : null;
  } catch {
    return null;
  }
}

/** The milliseconds that `Retry-After` asks for, as seconds or as a date (RFC 9110, 10.2.3); null where it says nothing. */
export function askedWait(headers: Headers): number | null {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return null;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(wait, 0);
}
