import { setTimeout as sleep } from "node:timers/promises";

// The commands call a service that may be busy, restarting or out of reach for a moment.

// With the waits between them, a minute or two: by then a service has restarted, even on a busy machine.
const ATTEMPTS = 10;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
// The free plan's daily limit asks for a wait of hours. Then the command ends, and the operator decides.
const LONGEST_ASKED_MS = 300_000;
// The feed itself answers 408, 429 and 503. A proxy or Cloudflare answers the others while the service is away.
const TEMPORARY = new Set([408, 429, 502, 503, 504, 520, 521, 522, 523, 524]);

// Errors of a connection that was open, so there is a service at this address.
const BROKEN_CONNECTION = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

export interface Answer {
  /** 0 if no answer came. */
  status: number;
  headers: Headers;
  /** The body; if no answer came, the reason. */
  bytes: Buffer;
  /** Whether the service was reached, even if the connection was lost afterwards. */
  connected: boolean;
  retryAfterMs: number;
}

/** Sends requests, and repeats those that may succeed later. */
export class PatientClient {
  readonly #withinMs: number;
  readonly #signal: AbortSignal | undefined;
  #wasReached = false;

  /** The signal ends the waits between tries. */
  constructor(withinMs: number, signal?: AbortSignal) {
    this.#withinMs = withinMs;
    this.#signal = signal;
  }

  /** Resolves with the last answer. `mayRetry` says whether another try may have another answer. */
  async ask(
    url: URL,
    request: RequestInit,
    { onWait, mayRetry = isTemporary }: { onWait?: () => void; mayRetry?: (answer: Answer) => boolean } = {},
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(url, request, this.#withinMs);
      this.#wasReached ||= answer.connected;
      // If the service was never reached, the address is probably wrong.
      const isWorthATry = mayRetry(answer) && answer.retryAfterMs <= LONGEST_ASKED_MS;
      if (!isWorthATry || !this.#wasReached || attempt === ATTEMPTS) return answer;
      onWait?.();
      const signal = this.#signal;
      await sleep(millisecondsToWait(attempt, answer), undefined, { ...(signal && { signal }) }).catch(() => {});
      if (signal?.aborted) return answer;
    }
  }
}

/** Whether a service is busy, restarting or out of reach. */
export function isTemporary({ status }: Answer): boolean {
  return status === 0 || TEMPORARY.has(status);
}

/** Sends a request once. An answer that is late counts as no answer. */
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
    // If there is no service, the connection is refused at once. So after a timeout there is one.
    const connected = limit.aborted || (code !== undefined && BROKEN_CONNECTION.has(code));
    const reason = limit.aborted ? "no answer" : message || code || String(error);
    return { status: 0, headers: new Headers(), bytes: Buffer.from(reason), connected, retryAfterMs: 0 };
  }
}

/** The JSON of a text, or the beginning of the text if it is no JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, 200);
  }
}

/** A sentence about an answer that a command cannot use. */
export function refusalOf({ status, bytes }: Answer): string {
  const text = bytes.toString();
  if (status === 0) return `The service cannot be reached (${text}). Is it running, and is --url right?`;
  const body = parse(text) as { message?: string; messages?: Record<string, string[]> } | string;
  const reason = typeof body === "string" ? body : (body.message ?? JSON.stringify(body.messages ?? body));
  return `The service answered ${status}: ${reason}`;
}

/** The wait that `Retry-After` asks for, in seconds or as a date. */
function retryAfterMs(text: string): number {
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}

function millisecondsToWait(attempt: number, { retryAfterMs }: Answer): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  // Half of the wait is random, so that clients that were refused together do not come back together.
  return Math.max(retryAfterMs, wait / 2 + (Math.random() * wait) / 2);
}
