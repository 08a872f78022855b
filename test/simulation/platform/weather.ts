import type { Random } from "../../../scripts/program/random.ts";
import type { Time } from "./time.ts";

const FAULTS = [
  "D1 loses a connection before the commit",
  "D1 loses a connection after the commit",
  "D1 is overloaded",
  "D1 never answers",
  "D1 answers late",
  "D1 is full",
  "D1 has little memory",
  "D1 exceeds its CPU",
  "D1's primary stalls",
  "D1's replicas stall",
  "D1 is reset",
  "replicas lag",
  "KV fails",
  "KV answers late",
  "KV never answers",
  "R2 loses a connection before it is asked",
  "R2 loses a connection after it was asked",
  "R2 fails",
  "R2 stalls",
  "R2 is full",
  "objects are overloaded",
  "an object is evicted",
  "an object ends in the middle",
  "a call of an object is lost",
  "a call of an object arrives, and its answer is lost",
  "a call of an object is late",
  "an alarm is late",
  "an alarm comes twice",
  "an isolate ends",
  "a request is lost",
  "an answer is lost",
  "a request comes twice",
  "a request is late",
  "a socket breaks",
  "the limiter fails",
  "the schedule skips a minute",
  "a minute of the schedule comes twice",
] as const;
export type Fault = (typeof FAULTS)[number];

const CALM_MS = { from: 5_000, to: 120_000 };
const STORM_MS = { from: 1_000, to: 60_000 };

/** What each simulated part of the platform works with. */
export interface Platform {
  time: Time;
  weather: Weather;
  random: Random;
}

/** The faults of the moment. Each fault comes and goes by itself, like a storm. */
export class Weather {
  readonly #random: Random;
  readonly #time: Time;
  /** The faults of the moment, and how probable each is at each occasion. */
  readonly #storms = new Map<Fault, number>();
  /** How often in a row each fault has struck. Each time makes the next less probable, so that work gets done. */
  readonly #streaks = new Map<Fault, number>();
  #isOver = false;

  constructor(time: Time, random: Random) {
    this.#time = time;
    this.#random = random;
    for (const fault of FAULTS) this.#calm(fault);
  }

  /** Whether a lasting fault, such as a full database, is on. */
  isOn(fault: Fault): boolean {
    return this.#storms.has(fault);
  }

  /** Whether a fault strikes this time. */
  happens(fault: Fault): boolean {
    const likelihood = this.#storms.get(fault);
    if (likelihood === undefined) return false;
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

  #calm(fault: Fault): void {
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
