import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { RETAINED_KINDS } from "./kinds.ts";
import { takeStep } from "./queries.ts";

// Once steps have taken `BURST_MS` together, the database gets a pause of 1.6 times as long, so that most requests wait for no
// step. A few longer pauses let more requests through than a pause after each step.
const BURST_MS = 200;
const PAUSE_PER_WORK = 1.6;
const LONGEST_PAUSE_MS = 1_000;

interface Options {
  /** Events from before this time are old. */
  horizon: string;
  mayGoOn: () => boolean;
  /** How many events a step looks at; left out: as many as its kind says. */
  lookedAt?: number;
}

/**
 * Adds up and deletes old events (docs/contract/retention.md): takes a step of each kind that has more of them, in turns. A kind
 * whose step fails gets no more steps in this run. The report says how many events were deleted.
 */
export async function addUpOldEvents(db: Database, { horizon, mayGoOn, lookedAt }: Options) {
  const kinds = [...RETAINED_KINDS];
  const report = { deleted: 0 };
  const failures: unknown[] = [];
  let busyMs = 0;
  let pauseMs = 0;
  let kind = kinds.shift();
  for (; kind !== undefined && mayGoOn(); kind = kinds.shift()) {
    await clock.pause(pauseMs);
    const startedAt = performance.now();
    try {
      const { deleted, isOver } = await takeStep(db, { ...kind, lookedAt: lookedAt ?? kind.lookedAt }, horizon);
      report.deleted += deleted;
      if (!isOver) kinds.push(kind);
    } catch (failure) {
      failures.push(failure);
    }
    busyMs += performance.now() - startedAt;
    const isPauseDue = busyMs >= BURST_MS;
    pauseMs = isPauseDue ? Math.min(PAUSE_PER_WORK * busyMs, LONGEST_PAUSE_MS) : 0;
    if (isPauseDue) busyMs = 0;
  }
  return { report, failures, isUnfinished: kind !== undefined || failures.length > 0 };
}
