import { AsyncLocalStorage } from "node:async_hooks";
import type { Instance } from "./sqlite.ts";

/**
 * What a Worker or an object does for one event. What it began and did not give to `waitUntil` ends with its answer, as in
 * workerd; and all of it ends with its isolate.
 */
export class Invocation {
  isOver = false;
  /** What D1 has said instead of answering. */
  readonly databaseFaults: string[] = [];
  /** Is told of each copy of a database that answers, just when it does. */
  onServed: (copy: Instance) => void = () => {};
  readonly #background = new Set<Promise<unknown>>();

  waitUntil(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    );
    this.#background.add(done);
    void done.then(() => this.#background.delete(done));
  }

  /** Ends it once nothing is left in the background. */
  async end(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
    this.isOver = true;
  }
}

/** The invocation whose code is running; undefined outside of all isolates. */
export const current = new AsyncLocalStorage<Invocation>();

/** What an isolate waits for: it hears of it only if the invocation that began it is not over by then. */
export function awaited<Value>(work: Promise<Value>): Promise<Value> {
  const invocation = current.getStore();
  if (invocation === undefined) return work;
  return new Promise((resolve, reject) => {
    work.then(
      (value) => invocation.isOver || resolve(value),
      (error: unknown) => invocation.isOver || reject(error),
    );
  });
}
