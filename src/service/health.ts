import type { BothDatabases } from "../app-env.ts";
import type { Cache } from "../cache/cache.ts";
import { clock } from "../cache/clock.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { reachDatabase } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// So that pollers do not multiply what is asked.
const REMEMBERED_MS = 5_000;
// The look of a request that was cancelled never ends.
const SHARED_MS = 3_000;

/**
 * Looks which parts of a deployment do not answer, and remembers for five seconds what it has found. Requests that come
 * meanwhile wait for the same look.
 */
export class HealthCheck {
  #last: { at: number; down: readonly string[] } | undefined;
  #running: { at: number; down: Promise<readonly string[]> } | undefined;

  /** The parts that do not answer, in words. */
  async look(databases: BothDatabases, cache: Cache): Promise<readonly string[]> {
    if (isWithin(REMEMBERED_MS, this.#last)) return this.#last.down;
    if (!isWithin(SHARED_MS, this.#running)) {
      const running = { at: clock.now(), down: this.#ask(databases, cache) };
      this.#running = running;
      cache.inBackground(running.down);
    }
    const { at, down } = this.#running;
    return withTimeout(SHARED_MS - (clock.now() - at), down).catch((error: unknown) => {
      if (error instanceof TimedOut) return this.look(databases, cache);
      throw error;
    });
  }

  async #ask(databases: BothDatabases, cache: Cache): Promise<readonly string[]> {
    const [primary, nearest, kv] = await Promise.all([
      answers(reachDatabase(databases.primary)),
      answers(reachDatabase(databases.nearest)),
      answers(cache.get("health")),
    ]);
    const down = [...downOf(primary, nearest), ...(kv ? [] : ["cache"])];
    this.#last = { at: clock.now(), down };
    return down;
  }
}

function isWithin<Found extends { at: number }>(milliseconds: number, found: Found | undefined): found is Found {
  const age = clock.now() - (found?.at ?? Number.NEGATIVE_INFINITY);
  return found !== undefined && age >= 0 && age < milliseconds;
}

function answers(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(ANSWERS_WITHIN_MS, work).then(
    () => true,
    () => false,
  );
}

function downOf(primary: boolean, nearest: boolean): string[] {
  if (!primary && !nearest) return ["database"];
  return [...(primary ? [] : ["primary of the database"]), ...(nearest ? [] : ["replicas of the database"])];
}
