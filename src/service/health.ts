import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { withTimeout } from "../values/timeout.ts";
import { findOverdueJobs } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// Many monitors together cause one check.
const CACHED_MS = 5_000;

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

let last: { at: number; health: Health } | null = null;

/** Checks whether a deployment is healthy, or returns the result of a check within the last five seconds. */
export async function checkHealth(parts: Parts): Promise<Health> {
  const now = clock.now();
  if (last === null || Math.abs(now - last.at) >= CACHED_MS) last = { at: now, health: await checkParts(parts) };
  return last.health;
}

async function checkParts({ primary, nearest, kv }: Parts): Promise<Health> {
  const [overdue, nearestAnswer, cacheAnswer] = await Promise.all([
    answerInTime(() => findOverdueJobs(primary)),
    answerInTime(() => findOverdueJobs(nearest)),
    answerInTime(() => kv.get("health").then(() => true)),
  ]);
  const isDatabaseDown = overdue === null && nearestAnswer === null;
  const isDown = {
    database: isDatabaseDown,
    "primary of the database": overdue === null && !isDatabaseDown,
    "replicas of the database": nearestAnswer === null && !isDatabaseDown,
    cache: cacheAnswer === null,
  };
  const down = Object.entries(isDown).flatMap(([name, isPartDown]) => (isPartDown ? [name] : []));
  // A replica may not know yet that a job was done, so its list is not used.
  return { down, overdue: overdue ?? [] };
}

/** The answer of a part; null if it fails or takes too long. */
async function answerInTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await withTimeout(ANSWERS_WITHIN_MS, ask());
  } catch {
    return null;
  }
}
