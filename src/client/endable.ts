/**
 * An iteration that ends with the signal, and at once with `return()`: an async generator of its own would first wait
 * for its next item. `run` is told by the signal that it gets, and whatever it throws after that is no fault.
 */
export function endable<Item>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
): AsyncGenerator<Item, void, undefined> {
  const stop = new AbortController();
  const items = (async function* () {
    const onAbort = () => stop.abort(signal?.reason);
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
