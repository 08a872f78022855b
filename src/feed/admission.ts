import { clock } from "../cache/clock.ts";
import { unavailable } from "../http/errors.ts";

export interface AdmissionRules {
  /** The bytes that may be inside at a time. */
  bytes: number;
  /** A request that is inside for so long was cancelled, and is no longer counted. */
  stayMilliseconds: number;
}

/** Who wants in, and for how long it may still wait, wherever. */
interface Visitor {
  patienceMilliseconds: number;
}

const LOOK_EVERY_MILLISECONDS = 50;

// A waiting request checks all the time, unless it was cancelled.
const GONE_AFTER_MILLISECONDS = 2_000;

/**
 * Lets large requests into a part of an isolate's memory, as many as it can take, in the order in which they
 * came. Nothing is handed from one request to another, because the runtime may end
 * any of them at any time. Each checks for itself.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  // In the order in which they came.
  readonly #waiting = new Map<symbol, { bytes: number; seenAt: number }>();
  readonly #inside = new Map<symbol, { bytes: number; since: number }>();

  constructor(rules: AdmissionRules) {
    this.#rules = rules;
  }

  /**
   * Resolves once there is room, with a function to call when it is no longer needed.
   * @throws the failure 503 when it takes too long.
   */
  async enter(bytes: number, visitor: Visitor): Promise<() => void> {
    const me = Symbol();
    const cameAt = clock.now();
    try {
      for (;;) {
        const now = clock.now();
        this.#waiting.set(me, { bytes, seenAt: now });
        if (this.#next() === me && this.#hasRoom(bytes)) break;
        if (now >= cameAt + visitor.patienceMilliseconds) {
          throw unavailable("Too many large requests at once. Try again in a moment.");
        }
        await clock.pause(LOOK_EVERY_MILLISECONDS);
      }
    } finally {
      this.#waiting.delete(me);
      visitor.patienceMilliseconds -= clock.now() - cameAt;
    }
    this.#inside.set(me, { bytes, since: clock.now() });
    return () => void this.#inside.delete(me);
  }

  /** Whose turn it is: the first of those that wait. */
  #next(): symbol | undefined {
    const gone = clock.now() - GONE_AFTER_MILLISECONDS;
    for (const [one, { seenAt }] of this.#waiting) if (seenAt < gone) this.#waiting.delete(one);
    return this.#waiting.keys().next().value;
  }

  #hasRoom(bytes: number): boolean {
    return fits(bytes, this.#taken(), this.#rules.bytes);
  }

  #taken(): number {
    const gone = clock.now() - this.#rules.stayMilliseconds;
    for (const [one, { since }] of this.#inside) if (since < gone) this.#inside.delete(one);
    return [...this.#inside.values()].reduce((sum, one) => sum + one.bytes, 0);
  }
}

function fits(bytes: number, taken: number, limit: number): boolean {
  return taken === 0 || taken + bytes <= limit;
}
