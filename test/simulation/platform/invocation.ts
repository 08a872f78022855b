import { AsyncLocalStorage } from "node:async_hooks";
import type { Expected } from "../../model/expected.ts";
import type { Instance, Query } from "./sqlite.ts";

/**
 * The work of a Worker or an object for one event. As in workerd, the answer ends all work except the work that was passed to
 * `waitUntil`. If the isolate ends, that work ends, too.
 */
export class Invocation {
  /** The messages of D1's errors. */
  readonly databaseFaults: string[] = [];
  readonly logLines: string[] = [];
  /** The batches that were too much for D1. */
  readonly refusedBatches: (readonly Query[])[] = [];
  /** Called when a copy of the database answers a read. */
  onServed: (copy: Instance) => void = () => {};
  /** Null: the event is no request. */
  request: SentRequest | null = null;
  readonly #background = new Set<Promise<unknown>>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  waitUntil(work: Promise<unknown>): void {
    const done = Promise.allSettled([work]);
    this.#background.add(done);
    void done.then(() => this.#background.delete(done));
  }

  end(): void {
    this.#isOver = true;
  }

  /** Ends once the background work is done. */
  async endAfterBackground(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
    this.end();
  }
}

/** A request of an actor. */
export interface SentRequest {
  path: string;
  method: string;
  body: string | undefined;
  /** Whose app has sent it. */
  customer: string | undefined;
  /** Whether the request has taken a version. The rules set it. */
  hasVersion: boolean;
  /** A feed's body. */
  lines: string | undefined;
  /** If it is a feed or a customer's write, and was committed: the commit, and the model's answer. The rules set it. */
  committed: { commit: number; answer: Expected } | null;
}

/** The invocation whose code is running; undefined outside of all isolates. */
export const current = new AsyncLocalStorage<Invocation>();

/** A call from an isolate to the platform. If its invocation is over before the answer, the answer is dropped. */
export function outgoing<Value>(call: () => Promise<Value>): Promise<Value> {
  const invocation = current.getStore();
  if (invocation === undefined) return call();
  return new Promise((resolve, reject) => {
    call().then(
      (value) => invocation.isOver || resolve(value),
      (error: unknown) => invocation.isOver || reject(error),
    );
  });
}
