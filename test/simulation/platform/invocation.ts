import { AsyncLocalStorage } from "node:async_hooks";
import type { FeedAnswer } from "../../model/feed.ts";
import { Connections } from "./connections.ts";
import type { Instance, Query } from "./sqlite.ts";

/**
 * What a Worker or an object does for one event. What it began and did not give to `waitUntil` ends with its answer, as in
 * workerd; and all of it ends with its isolate.
 */
export class Invocation {
  /** What D1 has said instead of answering. */
  readonly databaseFaults: string[] = [];
  /** The batches of which D1 has said that they are too much. */
  readonly refused: (readonly Query[])[] = [];
  /** Is told of each copy of a database that answers, just when it does. */
  onServed: (copy: Instance, queries: readonly Query[]) => void = () => {};
  /** The request that it answers; null: there is none. */
  request: SentRequest | null = null;
  readonly connections: Connections;
  readonly #background = new Set<Promise<unknown>>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;

  /** @param connections its own, or those of its object. */
  constructor(connections = new Connections()) {
    this.connections = connections;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves once it is over. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  waitUntil(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    );
    this.#background.add(done);
    void done.then(() => this.#background.delete(done));
  }

  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }

  /** Ends it once nothing is left in the background. */
  async endAfterBackground(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
    this.end();
  }
}

/** A request as it was sent. The rules of the simulation note here what it came to. */
export interface SentRequest {
  /** What it feeds. */
  lines: string | undefined;
  /** Of a feed that was committed: the commit, and what the model of the contract answers to it. */
  committed: { commit: number; answer: FeedAnswer } | null;
}

/** The invocation whose code is running; undefined outside of all isolates. */
export const current = new AsyncLocalStorage<Invocation>();

/**
 * A call out of an isolate, once one of its connections is free. The isolate hears of it only if the invocation that made
 * it is not over by then.
 */
export function outgoing<Value>(call: () => Promise<Value>): Promise<Value> {
  const invocation = current.getStore();
  if (invocation === undefined) return call();
  return new Promise((resolve, reject) => {
    const make = async () => {
      if (invocation.isOver) return;
      const made = call().then(
        (value) => invocation.isOver || resolve(value),
        (error: unknown) => invocation.isOver || reject(error),
      );
      await Promise.race([made, invocation.ended]);
    };
    void invocation.connections.run(make);
  });
}
