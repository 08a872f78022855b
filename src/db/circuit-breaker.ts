/** What became of a call. An error of a statement counts as answered, a lost connection as failed. */
export type Outcome = "answered" | "timed out" | "failed";

const TIMEOUTS_TO_OPEN = 2;

// Clients are told to retry after two seconds. The call of the first client that retries is the probe.
const PROBE_AFTER_MS = 2_000;

// A probe holds back the next probe for at most this long, because a cancelled request never reports the outcome of its probe.
const PROBE_HOLDS_MS = 6_000;

/**
 * Keeps requests from waiting for a database that has stopped answering. After two timeouts in a row, it lets through only
 * one call at a time, the probe. After an answer, it lets all calls through again.
 */
export class CircuitBreaker {
  #timeouts = 0;
  #answers = 0;
  /** Used only while the breaker is open: after two timeouts in a row. */
  #nextProbeAt = 0;

  /** Null refuses the call. Otherwise the caller sends it, and reports its outcome. */
  enter(): ((outcome: Outcome) => void) | null {
    const isProbe = this.#timeouts >= TIMEOUTS_TO_OPEN;
    if (isProbe) {
      if (performance.now() < this.#nextProbeAt) return null;
      this.#nextProbeAt = performance.now() + PROBE_HOLDS_MS;
    }
    const answersBefore = this.#answers;
    return (outcome) => {
      if (outcome === "answered") {
        this.#answers += 1;
        this.#timeouts = 0;
      } else if (outcome === "timed out" && this.#answers === answersBefore) {
        // The timeout of a call that began before the last answer says nothing about the time after that answer.
        this.#timeouts += 1;
        this.#nextProbeAt = Math.max(this.#nextProbeAt, performance.now() + PROBE_AFTER_MS);
      } else if (outcome === "failed" && isProbe) {
        this.#nextProbeAt = performance.now();
      }
    };
  }
}
