import { type Call, call, type Answer as PlainAnswer } from "../lib/call.ts";
import { Broken } from "./outcome.ts";

export type Item = Record<string, unknown>;

export interface Answer extends PlainAnswer {
  /** Method and path, for messages: `GET /api/v1/customer/messages`. */
  request: string;
}

const ANSWER_TIMEOUT_MS = 60_000;
const LONGEST_RETRY_AFTER_SECONDS = 65;
const RETRIES = 3;
const SLEEP_STEP_MS = 100;
const BOOKMARK = "X-D1-Bookmark";

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends requests to the service under test. */
export class Http {
  readonly url: string;
  readonly #fetch: typeof fetch;
  #signal: AbortSignal;
  #bookmark: string | null = null;

  constructor(url: string, signal: AbortSignal, send: typeof fetch = fetch) {
    this.url = url.replace(/\/+$/, "");
    this.#signal = signal;
    this.#fetch = send;
  }

  /** Lets requests be sent although the suite was stopped, so that its records can be deleted. */
  ignoreStop(): void {
    this.#signal = new AbortController().signal;
  }

  /** Sends the bookmark of this answer with later requests, so that their answers are at least as new as this one. */
  continueFrom({ headers }: Answer): void {
    this.#bookmark = headers.get(BOOKMARK) ?? this.#bookmark;
  }

  /** Sends a request to a path, or to the address in a `Link` header. After 429 and 503, waits and tries again. */
  async send(address: string, request: Call = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(new URL(address, `${this.url}/`), request);
      const seconds = Number(answer.headers.get("Retry-After") ?? Number.NaN);
      const isBusy = answer.status === 429 || answer.status === 503;
      if (!isBusy || !(seconds <= LONGEST_RETRY_AFTER_SECONDS) || attempt > RETRIES) return answer;
      await this.sleep(seconds * 1_000);
    }
  }

  /** Waits. Throws within 100 ms when the suite is stopped. */
  async sleep(milliseconds: number): Promise<void> {
    for (const end = Date.now() + milliseconds; Date.now() < end; await pause(SLEEP_STEP_MS))
      this.#signal.throwIfAborted();
  }

  async #sendOnce(url: URL, { headers, ...options }: Call): Promise<Answer> {
    const method = options.method ?? (options.body === undefined ? "GET" : "POST");
    const request = `${method} ${decodeURI(url.pathname + url.search)}`;
    const bookmark = this.#bookmark !== null && { [BOOKMARK]: this.#bookmark };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    try {
      const answer = await call(url, { ...options, method, headers: { ...bookmark, ...headers }, signal }, this.#fetch);
      return { ...answer, request };
    } catch (error) {
      this.#signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Broken(`${request} was not answered: ${cause instanceof Error ? cause.message : cause}`);
    }
  }
}

/** The `items` of a good answer. */
export const itemsOf = (answer: Answer): Item[] => listIn(answer, answer.body?.items, "items");

/** The ids of these items. With `field`, the values of that field. An answer `NO_ITEMS` has none. */
export function idsOf(list: Answer | readonly Item[], field = "id"): unknown[] {
  return ("body" in list ? itemsOrNone(list) : list).map((item) => item[field]);
}

/** The `items` of a good answer. An answer `NO_ITEMS` has none. */
export function itemsOrNone(answer: Answer): Item[] {
  return answer.body?.errorCode === "NO_ITEMS" ? [] : itemsOf(answer);
}

/** The list with this name in a good answer. It is a field of `items`, or stands beside `status`. */
export const listOf = (answer: Answer, name: string): Item[] =>
  listIn(answer, (answer.body?.items ?? answer.body)?.[name], name);

function listIn({ request, status, body }: Answer, list: unknown, name: string): Item[] {
  if (status !== 200 || body?.status !== true || !Array.isArray(list))
    throw new Broken(`${request} answered ${status} without the list ${name}: ${JSON.stringify(body).slice(0, 300)}`);
  return list;
}

/** The lines of a page of an export. */
export function exportedLines({ request, status, body }: Answer): Item[] {
  if (status !== 200 || !Array.isArray(body)) throw new Broken(`${request} answered ${status}`);
  return body;
}
