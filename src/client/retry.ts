export interface RetryOptions {
  /** How often a call is tried at most. */
  attempts: number;
  /** The longest wait before another try; a service that asks for more is not tried again. */
  longestWaitMs: number;
}

const FIRST_WAIT_MS = 200;
// What the service, or the edge before it, says when it has done nothing and may do it later.
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);

/**
 * A `fetch` that tries again what is safe to try again: every call of a customer only reads. It waits as long as
 * `Retry-After` says, else longer each time, and gives back the last answer when it has tried enough.
 */
export function retrying(send: typeof fetch, { attempts, longestWaitMs }: RetryOptions): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? null;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(input, init).catch((error: unknown) => {
        // Who has called it off wants no further try.
        if (signal?.aborted || attempt === attempts) throw error;
        return null;
      });
      if (outcome !== null && !WORTH_ANOTHER_TRY.has(outcome.status)) return outcome;
      const wait = waitBefore(attempt, outcome?.headers.get("Retry-After") ?? null);
      if (outcome !== null && (attempt === attempts || wait > longestWaitMs)) return outcome;
      await outcome?.body?.cancel();
      await pause(Math.min(wait, longestWaitMs), signal);
    }
  };
}

// Half of a wait of our own is chance, so that clients that were refused together do not come back together.
function waitBefore(attempt: number, retryAfter: string | null): number {
  if (retryAfter !== null && /^\d+$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const wait = FIRST_WAIT_MS * 2 ** (attempt - 1);
  return wait / 2 + (Math.random() * wait) / 2;
}

/** @throws the signal's reason when it is called off. */
export function pause(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
