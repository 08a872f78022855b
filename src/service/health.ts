import type { BothDatabases } from "../app-env.ts";
import type { Cache } from "../cache/cache.ts";
import { clock } from "../cache/clock.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { findOverdueJobs } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// So that pollers do not multiply what is asked.
const REMEMBERED_MS = 5_000;
// The look of a request that was cancelled never ends.
const SHARED_MS = 3_000;

interface Found {
  /** The parts that do not answer, in words. */
  down: readonly string[];
  /** The scheduled jobs that nobody has done in time. */
  overdue: readonly string[];
}

/**
 * Looks what is wrong with a deployment, and remembers for five seconds what it has found. Requests that come meanwhile
 * wait for the same look.
 */
export class HealthCheck {
  #last: ({ at: number } & Found) | undefined;
  #running: { at: number; found: Promise<Found> } | undefined;

  async look(databases: BothDatabases, cache: Cache): Promise<Found> {
    if (isWithin(REMEMBERED_MS, this.#last)) return this.#last;
    if (!isWithin(SHARED_MS, this.#running)) {
      const running = { at: clock.now(), found: this.#ask(databases, cache) };
      this.#running = running;
      cache.inBackground(running.found);
    }
    const { at, found } = this.#running;
    return withTimeout(SHARED_MS - (clock.now() - at), found).catch((error: unknown) => {
      if (error instanceof TimedOut) return this.look(databases, cache);
      throw error;
    });
  }

  async #ask(databases: BothDatabases, cache: Cache): Promise<Found> {
    const [overdue, nearest, kv] = await Promise.all([
      answerOf(findOverdueJobs(databases.primary)),
      answerOf(findOverdueJobs(databases.nearest)),
      answerOf(cache.get("health").then(() => true)),
    ]);
    const down = [...downOf(overdue !== null, nearest !== null), ...(kv === null ? ["cache"] : [])];
    // Of the primary: a replica may not know yet that a job was done.
    this.#last = { at: clock.now(), down, overdue: overdue ?? [] };
    return this.#last;
  }
}

function isWithin<Found extends { at: number }>(milliseconds: number, found: Found | undefined): found is Found {
  const age = clock.now() - (found?.at ?? Number.NEGATIVE_INFINITY);
  return found !== undefined && age >= 0 && age < milliseconds;
}

/** Null: there is no answer. */
function answerOf<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  return withTimeout(ANSWERS_WITHIN_MS, work).catch(() => null);
}

function downOf(primary: boolean, nearest: boolean): string[] {
  if (!primary && !nearest) return ["database"];
  return [...(primary ? [] : ["primary of the database"]), ...(nearest ? [] : ["replicas of the database"])];
}
