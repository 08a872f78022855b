import { setTimeout as sleep } from "node:timers/promises";

// The commands call a service that may be busy, restarting or out of reach for a moment, so they try several times.

// Ten tries and the waits between them take a minute or two. By then a service has restarted, even on a busy machine.
const TRIES = 10;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
// The longest `Retry-After` that a command obeys. The free plan's daily limit asks for hours: then the command ends.
const LONGEST_RETRY_AFTER_MS = 300_000;
// The service itself answers 408, 429 and 503. A proxy or Cloudflare gives the other answers while the service is away.
const TEMPORARY_STATUSES = new Set([408, 429, 502, 503, 504, 520, 521, 522, 523, 524]);

// Errors that break an open connection. So there is a service at this address.
const BROKEN_CONNECTION_CODES = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

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

interface Patience {
  /** Is called before each wait, with the answer to the last try. */
  onWait?: (answer: Answer) => void;
  /** Whether another try may get another answer. */
  mayRetry?: (answer: Answer) => boolean;
  tries?: number;
}

/** Sends a request, and repeats it while it may succeed later. Resolves with the answer to the last try. */
export type PatientFetch = (url: URL, request: RequestInit, patience?: Patience) => Promise<Answer>;

/** Each answer must come within `withinMs`. The signal ends the waits between tries. */
export function patientFetch(withinMs: number, signal?: AbortSignal): PatientFetch {
  let wasReached = false;
  return async (url, request, { onWait, mayRetry = isTemporary, tries = TRIES } = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(url, request, withinMs);
      wasReached ||= answer.connected;
      // If no try has reached the service, its address is probably wrong, so there is no other try.
      const isWorthATry = mayRetry(answer) && answer.retryAfterMs <= LONGEST_RETRY_AFTER_MS;
      if (!isWorthATry || !wasReached || attempt === tries) return answer;
      onWait?.(answer);
      await sleep(millisecondsToWait(attempt, answer), undefined, { ...(signal && { signal }) }).catch(() => {});
      if (signal?.aborted) return answer;
    }
  };
}

/** Whether an answer says that the service is busy, restarting or out of reach. */
export function isTemporary({ status }: Answer): boolean {
  return status === 0 || TEMPORARY_STATUSES.has(status);
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
    // Without a service the connection is refused at once. So a timeout means that there is a service.
    const connected = limit.aborted || (code !== undefined && BROKEN_CONNECTION_CODES.has(code));
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
