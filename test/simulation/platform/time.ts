import { withGlobal } from "@sinonjs/fake-timers";

/** When every simulation begins, in milliseconds since 1970: so late that most runs see a day end. */
export const BEGINNING = Date.UTC(2026, 5, 1, 23, 45);

// Timers are numbers, as in browsers: to make objects of them, as Node does, takes longer.
const { createClock } = withGlobal({ Date, setTimeout: () => 0, clearTimeout: () => {} });

/** Simulated time. It moves from one timer to the next, as soon as everything that the last one caused has been done. */
export class Time {
  readonly #clock = createClock(BEGINNING);

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#clock.now;
  }

  /** Calls `run` after so many milliseconds, unless the function that it returns has been called before. */
  after(milliseconds: number, run: () => void): () => void {
    const timer = this.#clock.setTimeout(run, milliseconds);
    return () => this.#clock.clearTimeout(timer);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Lets time pass until this is so. */
  async passUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#clock.countTimers() === 0) throw new Error("Nothing is left that could happen.");
      this.#clock.next();
      await settled();
    }
  }
}

/** Resolves once no promise is left to be continued. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
