import { horizonOf } from "../../src/feed/horizon.ts";
import type { SimulatedR2 } from "./platform/r2.ts";
import type { Time } from "./platform/time.ts";

const MONTHS_AT_FIRST = 60;

/**
 * The history of the deployment. In reality the horizon moves by a month each month. No run lasts for months, so
 * `HISTORY_MONTHS` decreases by one instead, which moves the horizon as far.
 */
export class History {
  readonly bucket: SimulatedR2;
  readonly #time: Time;
  #months = MONTHS_AT_FIRST;

  constructor(bucket: SimulatedR2, time: Time) {
    this.bucket = bucket;
    this.#time = time;
  }

  /** Events of before this time leave for history. */
  get horizon(): string {
    return horizonOf({ months: this.#months }, new Date(this.#time.now));
  }

  passMonths(months: number): void {
    this.#months = Math.max(1, this.#months - months);
  }

  /** Adds the bucket and `HISTORY_MONTHS`, a getter because an isolate outlives a month. */
  addTo<Bindings extends object>(bindings: Bindings): Bindings {
    const bound = { ...bindings, HISTORY: this.bucket.binding() };
    return Object.defineProperty(bound, "HISTORY_MONTHS", { get: () => String(this.#months), enumerable: true });
  }
}
