import {
  type Answer,
  askedWait,
  type CallOptions,
  type Following,
  LoyaltyError,
  type PagedResult,
  type Result,
  resultOf,
} from "./result.ts";
import { pause, throwIfAborted, waitAfterFailure, withTimeout } from "./waiting.ts";

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

export interface ServiceOptions {
  /** Where the service is. */
  url: string;
  askToken: () => Promise<string>;
  send: typeof fetch;
  retry: RetryOptions;
}

type Parameter = string | number | boolean | readonly string[] | undefined;
type Query = { readonly [name: string]: Parameter };

/**
 * The calls of one client. Each request carries the bookmark of the database from the last answer, so that no answer is older
 * than the answer before (docs/contract/interface.md, 6). `fetch` sends ETags by itself where the runtime caches answers.
 */
export class Service {
  readonly #options: ServiceOptions;
  readonly #base: string;
  #bookmark = "";

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#base = `${options.url.replace(/\/+$/, "")}/api/v1/customer`;
  }

  /** A page of a list. `query` has parameters, or is the query string of a `Link`. */
  async getPage<Items>(path: string, query: object | string, call?: CallOptions): Promise<PagedResult<Items>> {
    const answer = await this.#ask(path + (typeof query === "string" ? query : toQuery(query as Query)), call);
    const result = resultOf<Items>(answer);
    if (!result.status) return result;
    // Takes only the query string of the link, because the service may be behind a proxy with another address.
    const following = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    const next: Following<Items>["next"] =
      following === undefined ? null : (another) => this.getPage(path, following, another);
    return { ...result, next };
  }

  async post<Items, Extra = unknown>(path: string, json: object, call?: CallOptions): Promise<Result<Items, Extra>> {
    return resultOf<Items, Extra>(await this.#ask(path, call, JSON.stringify(json)));
  }

  async #ask(path: string, { signal }: CallOptions = {}, body?: string): Promise<Answer> {
    const { askToken, send, retry } = this.#options;
    const address = this.#base + path;
    const sentBookmark = this.#bookmark;
    const sendOnce = async (limit: AbortSignal) => {
      const headers: Record<string, string> = { Authorization: `Bearer ${await askToken()}` };
      if (sentBookmark !== "") headers["X-D1-Bookmark"] = sentBookmark;
      if (body === undefined) return send(address, { headers, signal: limit });
      headers["Content-Type"] = "application/json";
      return send(address, { method: "POST", headers, body, signal: limit });
    };
    const answer = await answerOf(sendOnce, retry, signal ?? null);
    this.#updateBookmark(sentBookmark, answer.headers.get("X-D1-Bookmark") ?? sentBookmark);
    return answer;
  }

  /**
   * Keeps the later bookmark, because answers may arrive out of order. But if an answer has an earlier bookmark than its
   * request, the service has refused the bookmark of the request: it is from another database.
   */
  #updateBookmark(sentBookmark: string, answeredBookmark: string): void {
    const isRefused = answeredBookmark < sentBookmark && this.#bookmark === sentBookmark;
    if (isRefused || answeredBookmark > this.#bookmark) this.#bookmark = answeredBookmark;
  }
}

const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** A text as part of an address. Half of a surrogate pair becomes U+FFFD, because it cannot be encoded. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\ufffd"));
}

/** `?name=value&…`; a list is joined with commas. React Native's URLSearchParams has not always escaped values. */
function toQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encode(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Sends a request, and tries again if there is no answer or the service could not take it now. That is safe, because a
 * customer's calls only read. It waits as long as `Retry-After` says, else longer each time.
 * @throws a LoyaltyError if the last try had no answer, and the signal's reason once it is aborted.
 */
export async function answerOf(
  send: (signal: AbortSignal) => Promise<Response>,
  { attempts, longestWaitMs, answerWithinMs }: RetryOptions,
  signal: AbortSignal | null,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const reading = withTimeout(answerWithinMs, signal, async (limit) => {
      const answer = await send(limit);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    });
    let askedMs: number | null = null;
    try {
      const answer = await reading;
      askedMs = askedWait(answer.headers);
      const isFinal = attempt >= attempts || (askedMs ?? 0) > longestWaitMs;
      if (isFinal || !RETRIED_STATUSES.has(answer.status)) return answer;
    } catch (cause) {
      throwIfAborted(signal);
      if (attempt >= attempts) throw new LoyaltyError("No answer of the service came.", { cause });
    }
    await pause(Math.min(waitAfterFailure(attempt, askedMs, longestWaitMs), longestWaitMs), signal);
  }
}
