import { horizonOf } from "../../src/feed/horizon.ts";
import type { SimulatedR2 } from "./platform/r2.ts";
import type { Time } from "./platform/time.ts";

const MONTHS_AT_FIRST = 60;

/**
 * History, as the deployment has it. Each month the horizon moves by one. No run lasts for months, so `HISTORY_MONTHS` gets
 * one smaller instead, everywhere at once, which moves the horizon as far.
 */
export class History {
  readonly bucket: SimulatedR2;
  readonly #time: Time;
  #months = MONTHS_AT_FIRST;

  constructor(bucket: SimulatedR2, time: Time) {
    this.bucket = bucket;
    this.#time = time;
  }

  /** Events of before this time leave. */
  get horizon(): string {
    return horizonOf({ months: this.#months }, new Date(this.#time.now));
  }

  passMonths(months: number): void {
    this.#months = Math.max(1, this.#months - months);
  }

  /** The bindings with those of history, as they are whenever they are read. */
  addTo<Bindings extends object>(bindings: Bindings): Bindings {
    const bound = { ...bindings, HISTORY: this.bucket.binding() };
    return Object.defineProperty(bound, "HISTORY_MONTHS", { get: () => String(this.#months), enumerable: true });
  }
}
