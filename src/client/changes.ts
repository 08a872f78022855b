import { endable } from "./endable.ts";
import type { LiveListener, Trouble } from "./live.ts";
import type { LiveState, SharedConnection } from "./shared-connection.ts";
import { type Change, EVERYTHING } from "./socket.ts";

export interface ChangesOptions {
  /** Ends the iteration, and closes the connection. */
  signal?: AbortSignal;
}

/** Something changed. */
export interface Changed {
  /** What to ask for anew: one or more. */
  what: Change[];
}

/** After how many milliseconds everything counts as changed, although the service has not said so. */
export type Rhythm = (state: LiveState) => number;

const BLOCKED_EVERY_MS = 60_000;

/** Without a socket an app asks for everything now and then. */
const patiently: Rhythm = (state) => (state === "blocked" ? BLOCKED_EVERY_MS * (1 + Math.random()) : Infinity);

/**
 * What changed: everything after each connection, then what the service tells. What comes while the app is busy is
 * merged into one item.
 * @throws a LoyaltyError when the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return endable(signal, async function* (stop) {
    const pending = new PendingChanges(EVERYTHING);
    connection.listen(pending, stop).catch((error: unknown) => pending.fail(error));
    let rhythm: Rhythm = (state) => (state === "blocked" ? 0 : Infinity);
    for (;;) {
      const what = await pending.next(rhythm, stop);
      rhythm = patiently;
      yield { what };
    }
  });
}

/** What changed since `next` was last asked: each kind once, however many times it has changed. */
export class PendingChanges implements LiveListener {
  readonly #kinds: readonly Change[];
  readonly #changed = new Set<Change>();
  #state: LiveState = "connecting";
  #failure: { error: unknown } | null = null;
  #wake = () => {};

  constructor(kinds: readonly Change[]) {
    this.#kinds = kinds;
  }

  readonly onHello = () => {
    this.#state = "connected";
    // Nobody knows what was missed before.
    this.onChanged(EVERYTHING);
  };

  readonly onChanged = (what: readonly Change[]) => {
    for (const change of what) if (this.#kinds.includes(change)) this.#changed.add(change);
    this.#wake();
  };

  readonly onTrouble = (trouble: Trouble) => {
    this.#state = trouble;
    this.#wake();
  };

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /**
   * Waits until there is something, or until the rhythm says that everything counts as changed.
   * @throws what it failed with, and the signal's reason when it is called off.
   */
  async next(rhythm: Rhythm, signal: AbortSignal): Promise<Change[]> {
    const askedAt = Date.now();
    for (;;) {
      signal.throwIfAborted();
      if (this.#changed.size > 0) return this.#take([...this.#changed]);
      if (this.#failure !== null) throw this.#failure.error;
      const longest = rhythm(this.#state);
      const passed = Math.max(Date.now() - askedAt, 0);
      if (passed >= longest) return this.#take(this.#kinds);
      await this.#woken(longest - passed, signal);
    }
  }

  #take(what: readonly Change[]): Change[] {
    this.#changed.clear();
    return EVERYTHING.filter((change) => what.includes(change));
  }

  #woken(withinMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        if (timer !== null) clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = withinMs === Infinity ? null : setTimeout(wake, withinMs);
      signal.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }
}
