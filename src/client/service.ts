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
  /** How often a call is tried at most. */
  attempts: number;
  /** The longest wait before another try; a service that asks for more is not tried again. */
  longestWaitMs: number;
  /** How long one try may take, until the last byte of the answer; then it has failed. */
  answerWithinMs: number;
}

// What the service, or the edge before it, says when it has done nothing and may do it later.
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

/** How many characters of answers are held in all: of the longest, of 2 MiB each, one or two. */
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
 * The service, as one client asks it. With each request goes how far the database was when it answered last, so that an
 * answer is never older than one before (docs/contract/interface.md, 6); and the tag of an answer that is still known.
 */
export class Service {
  readonly #options: ServiceOptions;
  readonly #base: string;
  /** Answers by their address, which the service may say have not changed, by a 304: those used longest ago first. */
  readonly #known = new Map<string, { tag: string; text: string }>();
  #bookmark = "";

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#base = `${options.url.replace(/\/+$/, "")}/api/v1/customer`;
  }

  /** A page of a list; `query` is of parameters, or as a `Link` has it. */
  async getPage<Items>(path: string, query: object | string, call?: CallOptions): Promise<PagedResult<Items>> {
    const answer = await this.#ask(path + (typeof query === "string" ? query : toQuery(query as Query)), call);
    const result = resultOf<Items>(answer);
    if (!result.status) return result;
    // Only its query: before the service may be a proxy, which has another address.
    const following = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    const next: Following<Items>["next"] =
      following === undefined ? null : (another) => this.getPage(path, following, another);
    return { ...result, next };
  }

  async post<Items>(path: string, json: object, call?: CallOptions): Promise<Result<Items>> {
    return resultOf<Items>(await this.#ask(path, call, JSON.stringify(json)));
  }

  /** The age of a board is in a header. */
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
    // An answer without items has no tag, and must not be taken for the one that had.
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
   * Answers may come in another order than they were made, so a later bookmark stays. But an answer that is earlier than
   * what was sent says that the service did not take it: the database has been replaced, and would be waited for each time.
   */
  #moveOn(sent: string, answered: string): void {
    const isRefused = answered < sent && this.#bookmark === sent;
    if (isRefused || answered > this.#bookmark) this.#bookmark = answered;
  }
}

const HALF_A_PAIR = /[\ud800-\udfff]/gu;

/** A text as part of an address. Half of a surrogate pair cannot be, and becomes U+FFFD. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(HALF_A_PAIR, "\ufffd"));
}

/** `?name=value&…`, where a list is its values with commas; React Native's URLSearchParams has not always escaped them. */
function toQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encode(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Sends, and tries again what is safe to try again: every call of a customer only reads. A try without an answer and one
 * that the service could not take now are treated alike. It waits as long as `Retry-After` says, else longer each time.
 * @throws a LoyaltyError when the last try had no answer, and the signal's reason when it is called off.
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
