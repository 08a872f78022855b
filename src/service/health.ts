import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { findOverdueJobs } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// Many monitors together cause one check.
const CACHED_MS = 5_000;
// A check never ends if the request that started it was cancelled, so other requests wait for it with a timeout.
const WAIT_MS = 3_000;

/** The services that a deployment depends on. */
interface Parts {
  primary: Database;
  /** The nearest replica, or the primary where there is none. */
  nearest: Database;
  kv: KVNamespace;
}

interface Health {
  /** The names of the parts that do not answer. */
  down: readonly string[];
  /** The names of overdue jobs. */
  overdue: readonly string[];
}

/** Checks whether a deployment is healthy. All requests within five seconds share one check. */
export class HealthCheck {
  #shared: { at: number; health: Promise<Health> } | undefined;

  async run(parts: Parts, inBackground: (work: Promise<unknown>) => void): Promise<Health> {
    const now = clock.now();
    let shared = this.#shared;
    if (shared === undefined || now < shared.at || now >= shared.at + CACHED_MS) {
      shared = { at: now, health: checkParts(parts) };
      this.#shared = shared;
      inBackground(shared.health);
    }
    return withTimeout(shared.at + WAIT_MS - now, shared.health).catch((error: unknown) => {
      if (!(error instanceof TimedOut)) throw error;
      if (this.#shared === shared) this.#shared = undefined;
      return this.run(parts, inBackground);
    });
  }
}

async function checkParts({ primary, nearest, kv }: Parts): Promise<Health> {
  const [overdueJobs, nearestAnswer, cacheAnswer] = await Promise.all([
    answerInTime(findOverdueJobs(primary)),
    answerInTime(findOverdueJobs(nearest)),
    answerInTime(readAnything(kv)),
  ]);
  const down = [
    ...downDatabases({ hasPrimary: overdueJobs !== null, hasNearest: nearestAnswer !== null }),
    ...(cacheAnswer === null ? ["cache"] : []),
  ];
  // A replica may not know yet that a job was done, so its list is not used.
  return { down, overdue: overdueJobs ?? [] };
}

async function readAnything(kv: KVNamespace): Promise<true> {
  await kv.get("health");
  return true;
}

/** The answer of a part; null if it fails or takes too long. */
function answerInTime<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  return withTimeout(ANSWERS_WITHIN_MS, work).catch(() => null);
}

function downDatabases({ hasPrimary, hasNearest }: { hasPrimary: boolean; hasNearest: boolean }): string[] {
  if (!hasPrimary && !hasNearest) return ["database"];
  return [...(hasPrimary ? [] : ["primary of the database"]), ...(hasNearest ? [] : ["replicas of the database"])];
}
