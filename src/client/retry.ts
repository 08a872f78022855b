import { type Answer, askedWait, LoyaltyError } from "./result.ts";
import { pause, throwIfAborted, withTimeout } from "./waiting.ts";

export interface RetryOptions {
  /** How often a call is tried at most. */
  attempts: number;
  /** The longest wait before another try; a service that asks for more is not tried again. */
  longestWaitMs: number;
  /** How long one try may take, until the last byte of the answer; then it has failed. */
  answerWithinMs: number;
}

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
    if (!isWorthIt || attempt >= attempts || (asked ?? 0) > longestWaitMs) {
      if (isFailed) throw outcome;
      return outcome;
    }
    // Part of each wait is chance, so that clients that were refused together do not come back together.
    const half = (FIRST_WAIT_MS * 2 ** (attempt - 1)) / 2;
    await pause(Math.min((asked ?? half) + Math.random() * half, longestWaitMs), signal);
  }
}

/** Waits as long as the service has asked, and not together with others who were refused. */
export function pauseAsAsked(asked: number, signal: AbortSignal | null): Promise<void> {
  return pause(asked + Math.random() * FIRST_WAIT_MS, signal);
}
