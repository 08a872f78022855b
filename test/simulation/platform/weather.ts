import type { Random } from "../../../scripts/program/random.ts";
import type { Time } from "./time.ts";

const CALM_MS = { from: 5_000, to: 120_000 };
const STORM_MS = { from: 1_000, to: 60_000 };

/** What each simulated part of the platform works with. */
export interface Platform {
  time: Time;
  weather: Weather;
  random: Random;
}

/**
 * The faults that are possible at the moment. Each fault begins and ends at random times, like a storm. There is no list of
 * faults: a fault begins to come and go when its name is first asked for.
 */
export class Weather {
  readonly #random: Random;
  readonly #time: Time;
  readonly #knownFaults = new Set<string>();
  /** The faults of the moment, and how probable each is at each occasion. */
  readonly #storms = new Map<string, number>();
  /** How often in a row each fault has struck. Each time makes the next less probable, so that work gets done. */
  readonly #streaks = new Map<string, number>();
  #isOver = false;

  constructor(time: Time, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** Whether a lasting fault, such as a full database, is on. */
  isOn(fault: string): boolean {
    return this.#likelihoodOf(fault) > 0;
  }

  /** Whether a fault strikes this time. */
  happens(fault: string): boolean {
    const likelihood = this.#likelihoodOf(fault);
    if (likelihood === 0) return false;
    const streak = this.#streaks.get(fault) ?? 0;
    const strikes = this.#random.next() < likelihood * 0.8 ** streak;
    this.#streaks.set(fault, strikes ? streak + 1 : 0);
    return strikes;
  }

  /** Ends all faults for good. */
  end(): void {
    this.#isOver = true;
    this.#storms.clear();
  }

  #likelihoodOf(fault: string): number {
    if (!this.#knownFaults.has(fault)) this.#calm(fault);
    this.#knownFaults.add(fault);
    return this.#storms.get(fault) ?? 0;
  }

  #calm(fault: string): void {
    this.#time.after(this.#random.integer(CALM_MS.from, CALM_MS.to), () => {
      if (this.#isOver) return;
      this.#storms.set(fault, this.#random.pick([0.02, 0.1, 0.4, 0.9]));
      this.#time.after(this.#random.integer(STORM_MS.from, STORM_MS.to), () => {
        this.#storms.delete(fault);
        if (!this.#isOver) this.#calm(fault);
      });
    });
  }
}
