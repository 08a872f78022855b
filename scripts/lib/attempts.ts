import { setTimeout as sleep } from "node:timers/promises";

// How the commands call a service that may be busy, restarting or out of reach for a moment.

// A minute or two, with their waits: a service that is restarted on a busy machine is back by then.
const ATTEMPTS = 10;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
// The free plan's daily limit asks for hours: then a person decides.
const LONGEST_ASKED_MS = 300_000;
// What a proxy or the edge says when the service behind it is not there; the feed's own are 408, 429 and 503.
const WORTH_ANOTHER_TRY = new Set([408, 429, 502, 503, 504, 520, 521, 522, 523, 524]);

// What breaks only where somebody was there.
const BROKEN_CONNECTION = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export interface Answer {
  /** 0 where no answer came. */
  status: number;
  headers: Headers;
  /** The body; where no answer came, why. */
  bytes: Buffer;
  /** Whether there was somebody to talk to, even if the connection was lost then. */
  connected: boolean;
  retryAfterMs: number;
}

/** Asks a service again and again where that is worth it. */
export class PatientClient {
  readonly #withinMs: number;
  readonly #signal: AbortSignal | undefined;
  #isThere = false;

  /** The signal ends the waits between tries. */
  constructor(withinMs: number, signal?: AbortSignal) {
    this.#withinMs = withinMs;
    this.#signal = signal;
  }

  /** The last answer. `mayRetry`: which answers are worth another try. */
  async ask(
    url: URL,
    request: RequestInit,
    { onWait, mayRetry = isPassing }: { onWait?: () => void; mayRetry?: (answer: Answer) => boolean } = {},
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(url, request, this.#withinMs);
      this.#isThere ||= answer.connected;
      // Nobody was ever there: more likely a wrong address than a service that is being restarted.
      const isWorthIt = mayRetry(answer) && answer.retryAfterMs <= LONGEST_ASKED_MS;
      if (!isWorthIt || !this.#isThere || attempt === ATTEMPTS) return answer;
      onWait?.();
      const signal = this.#signal;
      await sleep(waitBefore(attempt, answer), undefined, { ...(signal && { signal }) }).catch(() => {});
      if (signal?.aborted) return answer;
    }
  }
}

/** Whether a service is only busy, restarting or out of reach. */
export function isPassing({ status }: Answer): boolean {
  return status === 0 || WORTH_ANOTHER_TRY.has(status);
}

/** Sends a request once; an answer that does not come in time counts as none. */
async function ask(url: URL, request: RequestInit, withinMs: number): Promise<Answer> {
  const limit = AbortSignal.timeout(withinMs);
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
  try {
    const response = await fetch(url, { ...request, signal });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
      connected: true,
      retryAfterMs: retryAfterMs(response.headers.get("Retry-After") ?? "0"),
    };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const { code, message } = (cause instanceof Error ? cause : {}) as NodeJS.ErrnoException;
    // That nobody is there is known much sooner than the limit.
    const connected = limit.aborted || (code !== undefined && BROKEN_CONNECTION.has(code));
    const reason = limit.aborted ? "no answer" : message || code || String(error);
    return { status: 0, headers: new Headers(), bytes: Buffer.from(reason), connected, retryAfterMs: 0 };
  }
}

/** What a body holds: JSON, else the beginning of its text. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, 200);
  }
}

/** What a command says of an answer that it cannot use. */
export function refusalOf({ status, bytes }: Answer): string {
  const text = bytes.toString();
  if (status === 0) return `The service cannot be reached (${text}). Is it running, and is --url right?`;
  const body = parse(text) as { message?: string; messages?: Record<string, string[]> } | string;
  const said = typeof body === "string" ? body : (body.message ?? JSON.stringify(body.messages ?? body));
  return `The service answered ${status}: ${said}`;
}

/** What `Retry-After` asks for, which is seconds or a date. */
function retryAfterMs(text: string): number {
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}

/** How long to wait before another try. */
function waitBefore(attempt: number, { retryAfterMs }: Answer): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  // Half of the wait is chance, so that clients that were refused together do not come back together.
  return Math.max(retryAfterMs, wait / 2 + (Math.random() * wait) / 2);
}
