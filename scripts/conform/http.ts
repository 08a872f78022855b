import { type Call, type Answer as Called, call } from "../lib/call.ts";
import { Broken } from "./expect.ts";

export type Item = Record<string, unknown>;

export interface Answer extends Called {
  /** Method and path, for messages: `GET /api/v1/customer/messages`. */
  request: string;
}

const ANSWERED_WITHIN_MS = 60_000;
const LONGEST_RETRY_AFTER_SECONDS = 65;
const RETRIES = 3;
const BOOKMARK = "X-D1-Bookmark";

/** Sends requests to the service under test. */
export class Http {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  #signal: AbortSignal;
  #bookmark: string | null = null;

  constructor(url: string, signal: AbortSignal, send: typeof fetch = fetch) {
    this.#url = url.replace(/\/+$/, "");
    this.#signal = signal;
    this.#fetch = send;
  }

  get url(): string {
    return this.#url;
  }

  /** Sends requests even after the suite was stopped, so that what was written can be deleted. */
  ignoreStop(): void {
    this.#signal = new AbortController().signal;
  }

  /** Makes later answers at least as new as this answer, by its bookmark (docs/contract/interface.md, 6). */
  continueFrom({ headers }: Answer): void {
    this.#bookmark = headers.get(BOOKMARK) ?? this.#bookmark;
  }

  /** Sends a request to a path of the service, or to the address of a `Link`. Waits after 429 and 503, and tries again. */
  async send(address: string, request: Call = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(new URL(address, `${this.#url}/`), request);
      const wait = Number(answer.headers.get("Retry-After") ?? Number.NaN);
      const isBusy = answer.status === 429 || answer.status === 503;
      if (!isBusy || !(wait <= LONGEST_RETRY_AFTER_SECONDS) || attempt > RETRIES) return answer;
      await this.sleep(wait * 1_000);
    }
  }

  /** Waits. Throws at once when the suite is stopped. */
  async sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(this.#signal.reason);
      };
      const timer = setTimeout(() => {
        this.#signal.removeEventListener("abort", stop);
        resolve();
      }, milliseconds);
      if (this.#signal.aborted) stop();
      this.#signal.addEventListener("abort", stop, { once: true });
    });
  }

  async #sendOnce(url: URL, { headers, ...given }: Call): Promise<Answer> {
    const method = given.method ?? (given.body === undefined ? "GET" : "POST");
    const request = `${method} ${decodeURI(url.pathname + url.search)}`;
    const bookmark = this.#bookmark !== null && { [BOOKMARK]: this.#bookmark };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
    try {
      const answer = await call(url, { ...given, method, headers: { ...bookmark, ...headers }, signal }, this.#fetch);
      return { ...answer, request };
    } catch (error) {
      this.#signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Broken(`${request} was not answered: ${cause instanceof Error ? cause.message : cause}`);
    }
  }
}

/** The `items` of a good answer. */
export function itemsOf({ request, status, body }: Answer): Item[] {
  if (status !== 200 || body?.status !== true || !Array.isArray(body.items))
    throw new Broken(`${request} answered ${status} without a list of items: ${JSON.stringify(body).slice(0, 300)}`);
  return body.items;
}

/** The ids of a list or of an answer's items, or the values of another field. No ids for `NO_ITEMS`. */
export function idsOf(list: Answer | readonly Item[], field = "id"): unknown[] {
  return ("body" in list ? itemsOrNone(list) : list).map((item) => item[field]);
}

/** The `items` of a good answer, or none for `NO_ITEMS`. */
export function itemsOrNone(answer: Answer): Item[] {
  return answer.body?.errorCode === "NO_ITEMS" ? [] : itemsOf(answer);
}

/** A named list of a good answer, in its `items` or beside its `status`. */
export function listOf({ request, status, body }: Answer, name: string): Item[] {
  const list = (body?.items ?? body)?.[name];
  if (status !== 200 || body?.status !== true || !Array.isArray(list))
    throw new Broken(`${request} answered ${status} without the list ${name}: ${JSON.stringify(body).slice(0, 300)}`);
  return list;
}

/** The lines of a page of an export. */
export function exportedLines({ request, status, body }: Answer): Item[] {
  if (status !== 200 || !Array.isArray(body)) throw new Broken(`${request} answered ${status}`);
  return body;
}
