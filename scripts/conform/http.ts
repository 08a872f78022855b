import { Broken } from "./expect.ts";

export type Item = Record<string, unknown>;

/** What every answer may hold at its top level. */
export interface Body extends Item {
  messages?: Record<string, unknown>;
}

export interface Answer {
  /** The request in short, for messages: `GET /api/v1/customer/messages`. */
  request: string;
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the answer; empty where it has none. */
  body: Body;
  milliseconds: number;
}

export interface Request {
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  body?: string;
}

const ANSWER_WITHIN_MS = 60_000;
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

  /** Goes on although it was told to stop: what was written is deleted then. */
  outlive(): void {
    this.#signal = new AbortController().signal;
  }

  /** From the next request on, answers are at least as new as this one (docs/contract/interface.md, 6). */
  readOn({ headers }: Answer): void {
    this.#bookmark = headers.get(BOOKMARK) ?? this.#bookmark;
  }

  /** Sends a request to a path of the service, or to an address that a Link named. Waits where it is told to. */
  async send(address: string, request: Request = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(new URL(address, `${this.#url}/`), request);
      const wait = Number(answer.headers.get("Retry-After") ?? Number.NaN);
      const isBusy = answer.status === 429 || answer.status === 503;
      if (!isBusy || !(wait <= LONGEST_RETRY_AFTER_SECONDS) || attempt > RETRIES) return answer;
      await this.sleep(wait * 1_000);
    }
  }

  /** Waits, but not for longer than the suite runs. */
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

  async #sendOnce(url: URL, { method, token, headers = {}, body }: Request): Promise<Answer> {
    const verb = method ?? (body === undefined ? "GET" : "POST");
    const request = `${verb} ${decodeURI(url.pathname + url.search)}`;
    const init: RequestInit = {
      method: verb,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(this.#bookmark !== null && { [BOOKMARK]: this.#bookmark }),
        ...headers,
      },
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      redirect: "manual",
      ...(body !== undefined && { body }),
    };
    const startedAt = performance.now();
    try {
      const send = this.#fetch;
      const response = await send(url, init);
      // workerd warns of lines that are read as a text, whose type is not one of texts.
      const text = await new Response(response.body).text();
      const milliseconds = performance.now() - startedAt;
      const { status } = response;
      return { request, status, headers: response.headers, text, body: parse(text), milliseconds };
    } catch (error) {
      this.#signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Broken(`${request} was not answered: ${cause instanceof Error ? cause.message : cause}`);
    }
  }
}

function parse(text: string): Body {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Body) : {};
  } catch {
    return {};
  }
}

/** The list that an answer holds. */
export function itemsOf({ request, status, body }: Answer): Item[] {
  if (status !== 200 || body.status !== true || !Array.isArray(body.items))
    throw new Broken(`${request} answered ${status} without a list of items: ${JSON.stringify(body).slice(0, 300)}`);
  return body.items;
}

/** One of the lists that an answer's `items` holds, or that stand beside its `status`. */
export function listOf({ request, status, body }: Answer, name: string): Item[] {
  const lists = (body.items ?? body) as Record<string, unknown>;
  const list = lists[name];
  if (status !== 200 || body.status !== true || !Array.isArray(list))
    throw new Broken(`${request} answered ${status} without the list ${name}: ${JSON.stringify(body).slice(0, 300)}`);
  return list;
}

/** The address that the header Link names for a relation, such as `next`. */
export function linkOf({ headers }: Answer, relation: string): string | undefined {
  const links = (headers.get("Link") ?? "").split(/,\s*(?=<)/);
  return links.find((link) => link.includes(`rel="${relation}"`))?.match(/<([^>]*)>/)?.[1];
}

/** The lines of a page of an export. */
export function exportedLines({ request, status, text }: Answer): Item[] {
  if (status !== 200) throw new Broken(`${request} answered ${status}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Item => JSON.parse(line));
}
