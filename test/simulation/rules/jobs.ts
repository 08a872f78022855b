import { DAY_MINUTES } from "../platform/code.ts";
import type { Fault } from "../platform/weather.ts";
import type { World } from "../world.ts";
import { ALONE } from "./names.ts";

const DAILY = "every daily job is done within a day and its bound";

/** The daily jobs that log each run. */
const JOBS = ["remove former listeners", "merge the search indexes"];
const MINUTE_MS = 60_000;
/** A day, the leases of two interrupted runs (16 minutes each), and 8 skipped minutes. */
const BOUND_MS = (DAY_MINUTES + 2 * 16 + 8) * MINUTE_MS;

/** The rule is checked only with these faults. With others, a job may fail because the database fails. */
export const SCHEDULE_FAULTS: readonly Fault[] = [
  "the schedule skips a minute",
  "a minute of the schedule comes twice",
  "an isolate ends",
];

/** The promises about scheduled jobs: docs/monitoring.md. */
export class JobRules {
  readonly #world: World;
  /** When each job was last done, in milliseconds since 1970. */
  readonly #doneAt = new Map<string, number>();
  /** The lease of each job after the last commit. */
  readonly #leases = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    this.forget();
    world.onServiceLog = (line) => this.#note(line);
  }

  /** Starts again after time travel, because the database has forgotten what ran. */
  forget(): void {
    for (const job of JOBS) this.#doneAt.set(job, this.#world.time.now);
    this.#leases.clear();
  }

  checkCommit(): void {
    const rows = this.#world.database.primary.read<{ name: string; lease: string; now: string }>(
      "SELECT name, lease_until AS lease, now FROM jobs CROSS JOIN clock",
    );
    for (const { name, lease, now } of rows.filter((one) => JOBS.includes(one.name))) {
      const before = this.#leases.get(name) ?? "";
      if (lease !== "" && lease !== before && before > now)
        this.#world.fail(ALONE, `${name} is taken at ${now}, and another run has it until ${before}`);
      this.#leases.set(name, lease);
    }
  }

  check(): void {
    if (![...this.#world.faults].every((fault) => SCHEDULE_FAULTS.includes(fault))) return;
    for (const [job, at] of this.#doneAt) {
      const ago = this.#world.time.now - at;
      if (ago > BOUND_MS) this.#world.fail(DAILY, `${job} was last done ${Math.round(ago / MINUTE_MS)} minutes ago`);
    }
  }

  #note(line: string): void {
    const { work = "", milliseconds } = JSON.parse(line) as { work?: string; milliseconds?: number };
    if (milliseconds === undefined || !this.#doneAt.has(work)) return;
    this.check();
    this.#doneAt.set(work, this.#world.time.now);
  }
}
