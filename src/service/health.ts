import type { BothDatabases } from "../app-env.ts";
import type { Cache } from "../cache/cache.ts";
import { clock } from "../cache/clock.ts";
import { withTimeout } from "../values/timeout.ts";
import { reachDatabase } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// So that pollers do not multiply what is asked.
const REMEMBERED_MS = 5_000;

/** Looks which parts of a deployment do not answer, and remembers for five seconds what it has found. */
export class HealthCheck {
  #last: { at: number; down: readonly string[] } | undefined;

  /** The parts that do not answer, in words. */
  async look(databases: BothDatabases, cache: Cache): Promise<readonly string[]> {
    const age = clock.now() - (this.#last?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#last !== undefined && age >= 0 && age < REMEMBERED_MS) return this.#last.down;
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
