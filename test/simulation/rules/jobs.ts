import { DAY_MINUTES } from "../platform/code.ts";
import type { Fault } from "../platform/weather.ts";
import type { World } from "../world.ts";

const ALONE = "two runs never do the same job at once";
const DAILY = "every daily job is done within a day and its bound";

/** The daily jobs that say in the log what they have done, each time. */
const JOBS = ["remove former listeners", "merge the search indexes"];
const MINUTE_MS = 60_000;
/** A job that was cut off twice is done again after two leases, by the next minute that is not skipped. */
const BOUND_MS = (DAY_MINUTES + 2 * 16 + 8) * MINUTE_MS;

/** While a database fails, its jobs do too: then nothing is said of when they are done. */
export const SCHEDULE_FAULTS: readonly Fault[] = [
  "the schedule skips a minute",
  "a minute of the schedule comes twice",
  "an isolate ends",
];

/** What the schedule promises: docs/operating.md, scheduled jobs. */
export class JobRules {
  readonly #world: World;
  /** The last run of each job that has ended well, in simulated time. */
  readonly #last = new Map<string, { from: number; to: number }>();

  constructor(world: World) {
    this.#world = world;
    this.forget();
    world.onServiceLog = (line) => this.#note(line);
  }

  /** The database has been set back, and does not know of runs that were under way. */
  forget(): void {
    const { now } = this.#world.time;
    for (const job of JOBS) this.#last.set(job, { from: now, to: now });
  }

  check(): void {
    if (![...this.#world.faults].every((fault) => SCHEDULE_FAULTS.includes(fault))) return;
    for (const [job, { to }] of this.#last) {
      const ago = this.#world.time.now - to;
      if (ago > BOUND_MS) this.#world.fail(DAILY, `${job} was last done ${Math.round(ago / MINUTE_MS)} minutes ago`);
    }
  }

  #note(line: string): void {
    const { work, milliseconds } = JSON.parse(line) as { work?: string; milliseconds?: number };
    const last = this.#last.get(work ?? "");
    if (work === undefined || milliseconds === undefined || last === undefined) return;
    const to = this.#world.time.now;
    // The log rounds milliseconds.
    const from = to - milliseconds + 1;
    const isKnown = Math.min(from, last.from) >= this.#world.setBackAt;
    if (from < last.to && isKnown) this.#world.fail(ALONE, `${work}, ${last.to - from} ms`);
    this.check();
    this.#last.set(work, { from, to });
  }
}
