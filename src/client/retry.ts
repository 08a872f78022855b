import { reasonOf, throwIfAborted } from "./abort.ts";
import { LoyaltyError } from "./loyalty-error.ts";
import { startTimer } from "./timer.ts";

export interface RetryOptions {
  /** How often a call is tried at most. */
  attempts: number;
  /** The longest wait before another try; a service that asks for more is not tried again. */
  longestWaitMs: number;
  /** How long one try may take, until the last byte of the answer; then it has failed. */
  answerWithinMs: number;
}

/** An answer that is there as a whole: it can no longer break off. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A client that is asked for a longer wait, such as the rest of a day, throws. */
export const LONGEST_ASKED_MS = 300_000;

const FIRST_WAIT_MS = 1_000;
// What the service, or the edge before it, says when it has done nothing and may do it later.
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

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
    if (isWorthIt && attempt < attempts && (asked ?? 0) <= longestWaitMs) {
      await pause(waitBefore(attempt, asked, longestWaitMs), signal);
    } else {
      if (isFailed) throw outcome;
      return outcome;
    }
  }
}

/** The milliseconds that `Retry-After` asks for, as seconds or as a date (RFC 9110, 10.2.3); null where it says nothing. */
export function askedWait(headers: Headers): number | null {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return null;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(wait, 0);
}

/** Waits as long as the service has asked, and not together with others who were refused. */
export function pauseAsAsked(asked: number, signal: AbortSignal | null): Promise<void> {
  return pause(asked + Math.random() * FIRST_WAIT_MS, signal);
}

// Part of each wait is chance, so that clients that were refused together do not come back together.
function waitBefore(attempt: number, asked: number | null, longestWaitMs: number): number {
  const half = (FIRST_WAIT_MS * 2 ** (attempt - 1)) / 2;
  return Math.min((asked ?? half) + Math.random() * half, longestWaitMs);
}

/** The outcome of `run`, unless it is called off or its time is over before: also where it does not heed its signal. */
export async function withTimeout<Outcome>(
  milliseconds: number,
  signal: AbortSignal | null,
  run: (limit: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  throwIfAborted(signal);
  const limit = new AbortController();
  let end = (_: unknown) => {};
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => {
      reject(reason);
      limit.abort(reason);
    };
  });
  const callOff = () => end(signal && reasonOf(signal));
  signal?.addEventListener("abort", callOff, { once: true });
  const timer = startTimer(() => end(new Error(`No answer came within ${milliseconds} ms.`)), milliseconds);
  try {
    return await Promise.race([run(limit.signal), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", callOff);
  }
}

/** @throws the signal's reason when it is called off. */
export function pause(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal && reasonOf(signal));
    };
    const timer = startTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
