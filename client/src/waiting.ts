// React Native's AbortSignal lacks `reason`, `throwIfAborted`, `any` and `timeout`, so nothing here relies on them.

/** @throws the signal's reason if it was aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal);
}

export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error("The call was aborted."), { name: "AbortError" });
}

// A timer takes at most 2^31 - 1 milliseconds, 24.8 days. One that is set for longer fires at once.
const LONGEST_MS = 2 ** 31 - 1;

/** Ends a wait, but not before it has lasted this long. */
export type Shorten = (leastMs: number) => void;

/**
 * Waits, for 24.8 days at most. `begin` gets a function that ends the wait early.
 * @throws the signal's reason once it is aborted.
 */
export function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  begin: (shorten: Shorten) => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(reasonOf(signal));
      else resolve();
    };
    const beganAt = Date.now();
    let timer = setTimeout(end, Math.min(milliseconds, LONGEST_MS));
    signal?.addEventListener("abort", end, { once: true });
    begin((leastMs) => {
      const leftMs = Math.min(leastMs, milliseconds) - millisecondsSince(beganAt);
      clearTimeout(timer);
      if (leftMs <= 0) end();
      else timer = setTimeout(end, leftMs);
    });
  });
}

/** A device's clock may be set back meanwhile. */
export function millisecondsSince(time: number): number {
  return Math.max(Date.now() - time, 0);
}

const FIRST_WAIT_MS = 1_000;

/**
 * The milliseconds to wait after the first failure (`number` 1), the second and so on: as long as the service has `asked`,
 * else twice as long each time. A part is random, so that clients that were refused together do not come back together.
 */
export function waitAfterFailure(number: number, asked: number | null | undefined, longestMs: number): number {
  const half = Math.min(FIRST_WAIT_MS * 2 ** (number - 1), longestMs) / 2;
  return (asked ?? half) + Math.random() * half;
}

/**
 * The outcome of `run`. Throws if the signal is aborted or the time is over first, even if `run` ignores its signal. `begin`
 * gets a function that shortens the time.
 */
export async function withTimeout<Outcome>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (limit: AbortSignal) => Promise<Outcome>,
  begin: (shorten: Shorten) => void = () => {},
): Promise<Outcome> {
  throwIfAborted(signal);
  const limit = new AbortController();
  let finish = () => {};
  const timeIsOver = pause(milliseconds, signal, (shorten) => {
    finish = () => shorten(0);
    begin(shorten);
  }).then(() => {
    throw new Error(`No answer came within ${milliseconds} ms.`);
  });
  timeIsOver.catch((reason: unknown) => limit.abort(reason));
  return Promise.race([run(limit.signal), timeIsOver]).finally(finish);
}

/**
 * An iteration that ends at once with the signal, or with `return()`. A plain async generator would first wait for its next
 * item. `run` gets a signal that is aborted then, and its errors after that are ignored.
 */
export function abortable<Item>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
): AsyncGenerator<Item, void, undefined> {
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const items = (async function* () {
    if (signal?.aborted) return;
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      yield* run(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      stop.abort();
    }
  })();
  const end = items.return.bind(items);
  items.return = (value) => {
    stop.abort();
    return end(value);
  };
  return items;
}
