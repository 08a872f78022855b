import { type CallOptions, type FailedResult, LoyaltyError, type PagedResult, type Result } from "./result.ts";
import { throwIfAborted, waitAfterFailure, withTimeout } from "./waiting.ts";
import { Waits } from "./waits.ts";

export interface RetryOptions {
  /** The most tries of a call. */
  attempts: number;
  /** The longest wait before another try. If the service asks for a longer wait, it is not tried again. */
  longestWaitMs: number;
  /** The longest time of one try, to the last byte of its answer. */
  answerWithinMs: number;
}

// Answers of the service, or of the edge before it, that it cannot take the request now.
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

interface ServiceOptions {
  /** The beginning of all addresses, such as `https://loyalty.example/api/v1/customer`. */
  url: string;
  askToken: () => Promise<string>;
  send: typeof fetch;
  retry: RetryOptions;
}

/** A call of the app, or one of the client itself with limits of its own. */
type Call = CallOptions & { retry?: RetryOptions };

/** What a request does beside asking. */
export interface Sent {
  method?: string;
  body?: string;
}

/** An answer that has arrived as a whole. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * The calls of one client. Each request carries the greatest bookmark of the database from all answers and frames, so that no
 * answer is older than those (docs/contract/interface.md, 6). `fetch` sends ETags by itself where the runtime caches answers.
 */
export class Service {
  readonly options: ServiceOptions;
  readonly waits = new Waits();
  #bookmark = "";

  constructor(options: ServiceOptions) {
    this.options = options;
  }

  /** A page of a list. `query` has parameters, or is the query string of a `Link`. */
  async getPage<Items>(path: string, query: object | string, call?: Call): Promise<PagedResult<Items>> {
    const answer = await this.#ask(path + (typeof query === "string" ? query : toQuery(query)), call);
    const result = this.#resultOf<Items>(answer);
    if (!result.status) return result;
    // Takes only the query string of the link, because the service may be behind a proxy with another address.
    const following = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    const next =
      following === undefined ? null : (another?: CallOptions) => this.getPage<Items>(path, following, another);
    return { ...result, next };
  }

  post<Items, Extra = unknown>(path: string, json: object, call?: Call): Promise<Result<Items, Extra>> {
    return this.request(path, { method: "POST", body: JSON.stringify(json) }, call);
  }

  async request<Items, Extra = unknown>(path: string, sent: Sent, call?: Call): Promise<Result<Items, Extra>> {
    return this.#resultOf<Items, Extra>(await this.#ask(path, call, sent));
  }

  /**
   * Sends a request, and tries again if there is no answer or the service could not take it now. That is safe, because these
   * calls only read, or have an id. It waits as long as `Retry-After` says, else longer each time.
   * @throws a LoyaltyError if the last try had no answer, and the signal's reason once it is aborted.
   */
  async #ask(path: string, { signal, retry = this.options.retry }: Call = {}, sent: Sent = {}): Promise<Answer> {
    const { attempts, longestWaitMs, answerWithinMs } = retry;
    for (let attempt = 1; ; attempt += 1) {
      let askedMs: number | null = null;
      try {
        const answer = await withTimeout(answerWithinMs, signal, (limit) => this.#send(path, sent, limit));
        askedMs = askedWait(answer.headers);
        const isFinal = attempt >= attempts || (askedMs ?? 0) > longestWaitMs;
        if (isFinal || !RETRIED_STATUSES.has(answer.status)) return answer;
      } catch (cause) {
        throwIfAborted(signal);
        if (attempt >= attempts) throw new LoyaltyError("No answer of the service came.", { cause });
      }
      await this.waits.pause(Math.min(waitAfterFailure(attempt, askedMs, longestWaitMs), longestWaitMs), signal);
    }
  }

  /** The result of a call. @throws a LoyaltyError if the answer is not the service's. */
  #resultOf<Items, Extra = unknown>(answer: Answer): Result<Items, Extra> {
    const result = resultOf<Items, Extra>(answer);
    if (answer.status < 300) this.waits.end("reached");
    return result;
  }

  /** From now on, answers are at least as new as this bookmark of a frame. */
  readAt(bookmark: string): void {
    if (bookmark > this.#bookmark) this.#bookmark = bookmark;
  }

  async #send(path: string, sent: Sent, signal: AbortSignal): Promise<Answer> {
    const { url, askToken, send } = this.options;
    const headers: Record<string, string> = { Authorization: `Bearer ${await askToken()}` };
    const sentBookmark = this.#bookmark;
    if (sentBookmark !== "") headers["X-D1-Bookmark"] = sentBookmark;
    if (sent.body !== undefined) headers["Content-Type"] = "application/json";
    const response = await send(url + path, { headers, signal, ...sent });
    const text = await response.text();
    // Keeps the later bookmark, because answers may arrive out of order. But if an answer has an earlier bookmark than its
    // request, the service has refused the bookmark of the request: it is from another database.
    const answeredBookmark = response.headers.get("X-D1-Bookmark") ?? sentBookmark;
    const isRefused = answeredBookmark < sentBookmark && this.#bookmark === sentBookmark;
    if (isRefused || answeredBookmark > this.#bookmark) this.#bookmark = answeredBookmark;
    return { status: response.status, headers: response.headers, text };
  }
}

/**
 * The beginning of all addresses below a path of the service.
 * @throws a TypeError if `url` is not an address. Uses no URL class, because that of React Native does not work.
 */
export function rootOf(url: string, path: string): string {
  const isOnPage = (globalThis as { location?: { href?: string } }).location?.href !== undefined;
  if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/i.test(url) && !(isOnPage && /^(\/[^\s?#]*)?$/.test(url)))
    throw new TypeError(`"${url}" is not the address of a service, such as https://loyalty.example.`);
  return url.replace(/\/+$/, "") + path;
}

const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** A text as part of an address. Half of a surrogate pair becomes U+FFFD, because it cannot be encoded. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\ufffd"));
}

/** `?name=value&…`; a list is joined with commas. React Native's URLSearchParams has not always escaped values. */
function toQuery(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encode(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** The result of a call. @throws a LoyaltyError if the answer is not the service's. */
function resultOf<Items, Extra = unknown>({ status: httpStatus, headers, text }: Answer): Result<Items, Extra> {
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
function askedWait(headers: Headers): number | null {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return null;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(wait, 0);
}

export function errorOf(failure: FailedResult): LoyaltyError {
  return new LoyaltyError(failure.message ?? failure.errorCode ?? "The call failed.", { failure });
}
