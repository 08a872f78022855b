import { withGlobal } from "@sinonjs/fake-timers";

/** When every simulation begins: late in the day, so that most runs see a day end. */
export const BEGINNING = Date.UTC(2026, 5, 1, 23, 50);

// Timers are numbers, as in browsers. Node's timer objects would cost time.
const { createClock } = withGlobal({ Date, setTimeout: () => 0, clearTimeout: () => {} });

/** Simulated time. It jumps to the next timer as soon as all work that the last timer caused is done. */
export class Time {
  readonly #clock = createClock(BEGINNING);

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#clock.now;
  }

  /** Calls `run` later. Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void {
    const timer = this.#clock.setTimeout(run, milliseconds);
    return () => this.#clock.clearTimeout(timer);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  async passUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#clock.countTimers() === 0) throw new Error("No timer is left.");
      this.#clock.next();
      await settled();
    }
  }
}

/** Resolves once all settled promises have been handled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
