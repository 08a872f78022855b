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
