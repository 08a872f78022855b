import type { LiveListener, LiveState, SharedConnection } from "./connection.ts";
import { type Change, EVERYTHING } from "./socket.ts";
import { abortable, pause, throwIfAborted } from "./waiting.ts";

export interface ChangesOptions {
  /** Ends the iteration, and closes the connection. */
  signal?: AbortSignal | undefined;
}

/** Something changed. */
export interface Changed {
  /** What to ask for anew: one or more. */
  what: Change[];
}

/** After how many milliseconds everything counts as changed, although the service has not said so. */
export type Interval = (state: LiveState) => number;

const BLOCKED_EVERY_MS = 60_000;

/**
 * What changed: everything after each connection, then what the service notifies of; without a socket everything now
 * and then. What comes while the app is busy is merged into one item.
 * @throws a LoyaltyError when the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return abortable(signal, async function* (stop) {
    const pending = new PendingChanges(EVERYTHING);
    // It may fail while the app is busy, and is heard of with the next item.
    connection.listen(pending.listener, stop).catch(pending.fail);
    for (let isFirst = true; ; isFirst = false) {
      const blockedMs = isFirst ? 0 : BLOCKED_EVERY_MS * (1 + Math.random());
      const interval: Interval = (state) => (state === "blocked" ? blockedMs : Infinity);
      yield { what: await pending.next(interval, stop) };
    }
  });
}

/** What changed since `next` was last asked: each kind once, however many times it has changed. */
export class PendingChanges {
  readonly #kinds: readonly Change[];
  readonly #changed = new Set<Change>();
  #hasFrame = false;
  /** Whether what `next` gave last was in a frame, and not only because of a new connection or the interval. */
  wasInFrame = false;
  #state: LiveState = "connecting";
  #failure: { error: unknown } | null = null;
  #wake = () => {};

  constructor(kinds: readonly Change[]) {
    this.#kinds = kinds;
  }

  readonly listener: LiveListener = (state, changed) => {
    this.#state = state;
    const wanted = changed.filter((kind) => this.#kinds.includes(kind));
    for (const kind of wanted) this.#changed.add(kind);
    if (changed !== EVERYTHING && wanted.length > 0) this.#hasFrame = true;
    this.#wake();
  };

  /** Nothing more will be told: `next` throws the error once it has given what there was before. */
  readonly fail = (error: unknown): void => {
    this.#failure = { error };
    this.#wake();
  };

  /**
   * Waits until there is something, or until the interval says that everything counts as changed.
   * @throws what it has failed with, and the signal's reason when it is called off.
   */
  async next(interval: Interval, signal: AbortSignal): Promise<Change[]> {
    const askedAt = Date.now();
    for (;;) {
      throwIfAborted(signal);
      if (this.#changed.size > 0) return this.#take([...this.#changed]);
      if (this.#failure !== null) throw this.#failure.error;
      const left = interval(this.#state) - Math.max(Date.now() - askedAt, 0);
      if (left <= 0) return this.#take(this.#kinds);
      await pause(left, signal, (wake) => {
        this.#wake = wake;
      });
    }
  }

  #take(kinds: readonly Change[]): Change[] {
    this.#changed.clear();
    this.wasInFrame = this.#hasFrame;
    this.#hasFrame = false;
    return EVERYTHING.filter((kind) => kinds.includes(kind));
  }
}
