// React Native's AbortSignal has neither `reason` nor `throwIfAborted`, `any` or `timeout`: nothing here uses them.

/** @throws the signal's reason if it was aborted. */
export function throwIfAborted(signal: AbortSignal | null): void {
  if (signal?.aborted) throw reasonOf(signal);
}

export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error("The call was aborted."), { name: "AbortError" });
}

/**
 * An iteration that ends at once with the signal, or with `return()`: a plain async generator would first wait for its
 * next item. `run` gets a signal that says so, and what it throws after that is ignored.
 */
export function abortable<Item>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
): AsyncGenerator<Item, void, undefined> {
  const stop = new AbortController();
  const items = (async function* () {
    const onAbort = () => stop.abort();
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
