import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { findOverdueJobs } from "./queries.ts";

const ANSWERS_WITHIN_MS = 2_500;
// So that pollers do not multiply what is asked.
const REMEMBERED_MS = 5_000;
// The look of a request that was cancelled never ends.
const SHARED_MS = 3_000;

/** What a deployment depends on. */
interface Parts {
  primary: Database;
  /** The nearest replica, or the primary where there is none. */
  nearest: Database;
  kv: KVNamespace;
}

interface Found {
  /** The parts that do not answer, in words. */
  down: readonly string[];
  /** The scheduled jobs that nobody has done in time. */
  overdue: readonly string[];
}

/** Looks what is wrong with a deployment. All requests within five seconds share one look. */
export class HealthCheck {
  #look: { at: number; found: Promise<Found> } | undefined;

  async look(parts: Parts, inBackground: (work: Promise<unknown>) => void): Promise<Found> {
    const now = clock.now();
    let look = this.#look;
    if (look === undefined || now < look.at || now >= look.at + REMEMBERED_MS) {
      look = { at: now, found: ask(parts) };
      this.#look = look;
      inBackground(look.found);
    }
    return withTimeout(look.at + SHARED_MS - now, look.found).catch((error: unknown) => {
      if (!(error instanceof TimedOut)) throw error;
      if (this.#look === look) this.#look = undefined;
      return this.look(parts, inBackground);
    });
  }
}

async function ask({ primary, nearest, kv }: Parts): Promise<Found> {
  const [overdue, others, cache] = await Promise.all([
    answerOf(findOverdueJobs(primary)),
    answerOf(findOverdueJobs(nearest)),
    answerOf(readAnything(kv)),
  ]);
  const down = [...downOf(overdue !== null, others !== null), ...(cache === null ? ["cache"] : [])];
  // Of the primary: a replica may not know yet that a job was done.
  return { down, overdue: overdue ?? [] };
}

async function readAnything(kv: KVNamespace): Promise<true> {
  await kv.get("health");
  return true;
}

/** Null: there is no answer. */
function answerOf<Answer>(work: Promise<Answer>): Promise<Answer | null> {
  return withTimeout(ANSWERS_WITHIN_MS, work).catch(() => null);
}

function downOf(primary: boolean, nearest: boolean): string[] {
  if (!primary && !nearest) return ["database"];
  return [...(primary ? [] : ["primary of the database"]), ...(nearest ? [] : ["replicas of the database"])];
}
