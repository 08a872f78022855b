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

// The service, or the edge before it, has done nothing and may do it later.
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

/** The most characters of all answers that are kept: one or two of the longest, which have 2 MiB each. */
const LONGEST_HELD = 4_000_000;

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
 * than the one before (docs/contract/interface.md, 6), and the ETag of the answer that is kept for its address.
 */
export class Service {
  readonly #options: ServiceOptions;
  readonly #base: string;
  /** Answers by address, for when the service answers 304. The least recently used come first. */
  readonly #known = new Map<string, { tag: string; text: string }>();
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
    // Only the query string: the service may be behind a proxy with another address.
    const following = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    const next: Following<Items>["next"] =
      following === undefined ? null : (another) => this.getPage(path, following, another);
    return { ...result, next };
  }

  async post<Items>(path: string, json: object, call?: CallOptions): Promise<Result<Items>> {
    return resultOf<Items>(await this.#ask(path, call, JSON.stringify(json)));
  }

  /** The same; the age of the board is in a header. */
  async postForBoard<Items>(path: string, json: object, call?: CallOptions): Promise<Result<Items, { age: number }>> {
    const answer = await this.#ask(path, call, JSON.stringify(json));
    const result = resultOf<Items>(answer);
    return result.status ? { ...result, age: Number(answer.headers.get("X-Board-Age") ?? Number.NaN) } : result;
  }

  async #ask(path: string, { signal }: CallOptions = {}, body?: string): Promise<Answer> {
    const { askToken, send, retry } = this.#options;
    const address = this.#base + path;
    const known = body === undefined ? this.#known.get(address) : undefined;
    const sent = this.#bookmark;
    const tried = async (limit: AbortSignal) => {
      const headers: Record<string, string> = { Authorization: `Bearer ${await askToken()}` };
      if (sent !== "") headers["X-D1-Bookmark"] = sent;
      if (known !== undefined) headers["If-None-Match"] = known.tag;
      if (body === undefined) return send(address, { headers, signal: limit });
      headers["Content-Type"] = "application/json";
      return send(address, { method: "POST", headers, body, signal: limit });
    };
    const answer = await answerOf(tried, retry, signal ?? null);

    this.#moveOn(sent, answer.headers.get("X-D1-Bookmark") ?? sent);
    const text = answer.status === 304 && known !== undefined ? known.text : answer.text;
    const tag = answer.headers.get("ETag");
    // An answer without items has no tag. It must not replace the answer that has one.
    if (tag !== null && body === undefined && [200, 304].includes(answer.status)) this.#keep(address, { tag, text });
    return { ...answer, text };
  }

  #keep(address: string, answer: { tag: string; text: string }): void {
    this.#known.delete(address);
    this.#known.set(address, answer);
    let length = [...this.#known.values()].reduce((sum, { text }) => sum + text.length, 0);
    for (const [oldest, { text }] of this.#known) {
      if (length <= LONGEST_HELD) break;
      length -= text.length;
      this.#known.delete(oldest);
    }
  }

  /**
   * Keeps the later bookmark, because answers may arrive out of order. But if an answer has an earlier bookmark than its
   * request, the service has refused that one: the database was replaced, and would wait for it each time.
   */
  #moveOn(sent: string, answered: string): void {
    const isRefused = answered < sent && this.#bookmark === sent;
    if (isRefused || answered > this.#bookmark) this.#bookmark = answered;
  }
}

const HALF_A_PAIR = /[\ud800-\udfff]/gu;

/** A text as part of an address. Half of a surrogate pair becomes U+FFFD, because it cannot be encoded. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(HALF_A_PAIR, "\ufffd"));
}

/** `?name=value&…`; a list is joined with commas. Not by URLSearchParams: React Native's has not always escaped values. */
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
    const outcome = await reading.catch((cause: unknown) => {
      throwIfAborted(signal);
      return new LoyaltyError("No answer of the service came.", { cause });
    });
    const isFailed = outcome instanceof LoyaltyError;
    const asked = isFailed ? null : askedWait(outcome.headers);
    const isWorthIt = isFailed || WORTH_ANOTHER_TRY.has(outcome.status);
    if (!isWorthIt || attempt >= attempts || (asked ?? 0) > longestWaitMs) {
      if (isFailed) throw outcome;
      return outcome;
    }
    await pause(Math.min(waitAfterFailure(attempt, asked, longestWaitMs), longestWaitMs), signal);
  }
}
