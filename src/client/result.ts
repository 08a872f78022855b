import type { Failure, MessageGroup } from "./shapes.ts";

/** Facts about the answer, in every result. */
export interface AnswerFacts {
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

export interface Following<Items> {
  /** Asks for the next page; null on the last page. */
  next: ((call?: CallOptions) => Promise<PagedResult<Items>>) | null;
}

export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What a search's result says about forgiven words: words of the query that matched a record with one typo. */
export interface Forgiven {
  /** The words of the query that matched some found record only with a typo. */
  forgiven?: string[] | undefined;
  /** For each forgiven word, the words of records that it was taken for, most frequent first. */
  meant?: Record<string, string[]> | undefined;
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

  constructor(message: string, { failure = null, cause }: { failure?: FailedResult | null; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.failure = failure;
  }
}

export function errorOf(failure: FailedResult): LoyaltyError {
  return new LoyaltyError(failure.message ?? failure.errorCode ?? "The call failed.", { failure });
}

/** An answer that has arrived as a whole. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** The result of a call. @throws a LoyaltyError if the answer is not the service's. */
export function resultOf<Items, Extra = unknown>(answer: Answer): Result<Items, Extra> {
  const { status: httpStatus, headers, text } = answer;
  const body = readBody(text);
  if (body === null) {
    const message = `Something other than the service answered, with HTTP status ${httpStatus}.`;
    throw new LoyaltyError(message, { cause: text });
  }
  const facts = { httpStatus, requestId: headers.get("X-Request-Id") ?? "" };
  if (!body.status) {
    const retryAfterMs = askedWait(headers);
    return { ...body, ...facts, ...(retryAfterMs !== null && { retryAfterMs }) } as FailedResult;
  }
  const { status, items, stores, customers, ...extra } = body;
  // The age of a leaderboard is in a header.
  const age = headers.get("X-Board-Age");
  if (age !== null) extra.age = Number(age);
  // A search without campaigns has no `items`: its lists are members of the body itself.
  return { status, ...facts, items: items ?? { stores, customers, campaigns: [] }, ...extra } as Result<Items, Extra>;
}

/** The body of an answer of the service; null if the body is from a proxy or a captive network instead. */
function readBody(text: string): ({ status: boolean } & Record<string, unknown>) | null {
  try {
    const body = JSON.parse(text);
    return typeof body?.status === "boolean" ? body : null;
  } catch {
    return null;
  }
}

/** The milliseconds that `Retry-After` asks for, in seconds or by a date (RFC 9110, 10.2.3); null without one. */
export function askedWait(headers: Headers): number | null {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return null;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(wait, 0);
}
