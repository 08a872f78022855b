import { clock } from "../cache/clock.ts";
import { unavailable } from "../http/errors.ts";

export interface AdmissionRules {
  /** The bytes of bodies that are worked on at a time. */
  bytes: number;
  /** A body of up to so many bytes need not wait. */
  smallBytes: number;
  /** A request that has waited for so long gets a 503. */
  waitMilliseconds: number;
  /** A request that is inside for so long was cancelled, and is no longer counted. */
  stayMilliseconds: number;
}

const LOOK_EVERY_MILLISECONDS = 50;

// A waiting request checks all the time, unless it was cancelled.
const GONE_AFTER_MILLISECONDS = 2_000;

/**
 * Lets large bodies into an isolate in the order in which they came, as many as its memory can take. Nothing is handed
 * from one request to another, because the runtime may end any of them at any time. Each checks for itself.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  readonly #waiting = new Map<symbol, { seenAt: number }>();
  readonly #inside = new Map<symbol, { bytes: number; since: number }>();

  constructor(rules: AdmissionRules) {
    this.#rules = rules;
  }

  /**
   * Resolves once a body may be read, with a function to call when the work is done.
   * @throws the failure 503 when it takes too long.
   */
  async enter(bytes: number): Promise<() => void> {
    if (bytes <= this.#rules.smallBytes) return () => {};
    const me = Symbol();
    const deadline = clock.now() + this.#rules.waitMilliseconds;
    try {
      for (;;) {
        this.#waiting.set(me, { seenAt: clock.now() });
        if (this.#isNext(me) && this.#hasRoom(bytes)) break;
        if (clock.now() >= deadline) throw unavailable("Too many large requests at once. Try again in a moment.");
        await clock.pause(LOOK_EVERY_MILLISECONDS);
      }
    } finally {
      this.#waiting.delete(me);
    }
    this.#inside.set(me, { bytes, since: clock.now() });
    return () => void this.#inside.delete(me);
  }

  #isNext(me: symbol): boolean {
    const gone = clock.now() - GONE_AFTER_MILLISECONDS;
    for (const [one, { seenAt }] of this.#waiting) if (seenAt < gone) this.#waiting.delete(one);
    return this.#waiting.keys().next().value === me;
  }

  #hasRoom(bytes: number): boolean {
    const gone = clock.now() - this.#rules.stayMilliseconds;
    for (const [one, { since }] of this.#inside) if (since < gone) this.#inside.delete(one);
    const taken = [...this.#inside.values()].reduce((sum, one) => sum + one.bytes, 0);
    return taken === 0 || taken + bytes <= this.#rules.bytes;
  }
}
