/** What came of a call: an answer, also one that refuses the statement; no answer in time; or a lost connection. */
export type Outcome = "answered" | "timed out" | "failed";

/** Notes what came of a call that was let through. */
export type Settle = (outcome: Outcome) => void;

const TIMEOUTS_TO_OPEN = 2;

// Clients are told to come back after two seconds: the first who does is the probe.
const PROBE_AFTER_MS = 2_000;

// A read has ended by then. A probe may be a feed, which waits longer; or its request was cancelled, and it never ends.
const PROBE_HOLDS_MS = 6_000;

/**
 * Keeps requests from waiting for a database that has stopped answering: after two timeouts in a row calls are refused,
 * but for one at a time, which looks whether it is back. An answer lets all through again.
 */
export class CircuitBreaker {
  readonly #now: () => number;
  #timeouts = 0;
  #answers = 0;
  /** Once it is open. */
  #nextProbeAt = 0;

  /** @param now milliseconds of any clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lets a call through, which is to be settled; null: it is refused. */
  enter(): Settle | null {
    const isProbe = this.#timeouts >= TIMEOUTS_TO_OPEN;
    if (isProbe) {
      if (this.#now() < this.#nextProbeAt) return null;
      this.#nextProbeAt = this.#now() + PROBE_HOLDS_MS;
    }
    const answersBefore = this.#answers;
    return (outcome) => {
      if (outcome === "answered") {
        this.#answers += 1;
        this.#timeouts = 0;
      } else if (outcome === "timed out" && this.#answers === answersBefore) {
        // One that began before the last answer says nothing of the database as it is since.
        this.#timeouts += 1;
        this.#nextProbeAt = Math.max(this.#nextProbeAt, this.#now() + PROBE_AFTER_MS);
      } else if (outcome === "failed" && isProbe) {
        this.#nextProbeAt = this.#now();
      }
    };
  }
}
