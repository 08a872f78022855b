import { mergeIndexes } from "../customer/search/merge-indexes.ts";
import { removeWords } from "../customer/search/remove-words.ts";
import type { Database } from "../db/database.ts";
import type { Drained } from "../inbox/drain.ts";
import { removeFormerListeners } from "../inbox/listeners.ts";
import { horizonOf, monthsOf } from "../retention/horizon.ts";
import { addUpOldEvents } from "../retention/retention.ts";
import { removeEndedHolds } from "../till/holds/queries.ts";

export interface JobOutcome {
  /** The numbers for the log; null if there was nothing to do. */
  report:
    | Drained
    | { deleted: number }
    | { removed: number }
    | { merges: number; unfinished: readonly string[] }
    | null;
  /** Errors that did not stop the run. */
  failures?: readonly unknown[];
  /** True if work is left for another run. */
  isUnfinished?: boolean;
}

/** A scheduled job. It is due at the time `from` each day, in UTC, and every `everyMinutes` after that. */
export interface Job {
  name: string;
  from: string;
  everyMinutes: number;
  /** After this time of day, unfinished work waits for the next day. Default: it continues at any time. */
  until?: string;
  /** The time limit of a run. */
  milliseconds: number;
  run: (db: Database, run: { env: Env; mayGoOn: () => boolean }) => Promise<JobOutcome>;
}

const NOTHING: JobOutcome = { report: null };
const DAILY = 1_440;

export const JOBS: readonly Job[] = [
  // Does nothing. If this job is overdue, /health knows that the schedule is not running.
  { name: "check in", from: "00:00", everyMinutes: 10, milliseconds: 0, run: async () => NOTHING },
  {
    name: "remove former listeners",
    from: "05:30",
    everyMinutes: DAILY,
    milliseconds: 300_000,
    run: (db, { mayGoOn }) => removeInBatches(() => removeFormerListeners(db), mayGoOn),
  },
  {
    name: "remove ended holds",
    from: "05:15",
    everyMinutes: DAILY,
    milliseconds: 300_000,
    run: (db, { mayGoOn }) => removeInBatches(() => removeEndedHolds(db), mayGoOn),
  },
  {
    name: "remove words from the search",
    from: "05:45",
    everyMinutes: DAILY,
    milliseconds: 300_000,
    run: async (db, { mayGoOn }) => {
      const { isDone, ...report } = await removeWords(db, mayGoOn);
      return { report, isUnfinished: !isDone };
    },
  },
  {
    name: "merge the search indexes",
    from: "06:00",
    everyMinutes: DAILY,
    milliseconds: 300_000,
    run: async (db, { mayGoOn }) => {
      const report = await mergeIndexes(db, mayGoOn);
      return { report, isUnfinished: report.unfinished.length > 0 };
    },
  },
  {
    name: "add up old events",
    from: "07:00",
    everyMinutes: DAILY,
    until: "10:50",
    milliseconds: 480_000,
    run: async (db, { env: { RETENTION_MONTHS }, mayGoOn }) => {
      const months = monthsOf(RETENTION_MONTHS);
      return months === null ? NOTHING : addUpOldEvents(db, { horizon: horizonOf(months, new Date()), mayGoOn });
    },
  },
];

/** Removes batches of rows until none are left, or the run ends. */
async function removeInBatches(
  removeBatch: () => Promise<{ removed: number; isDone: boolean }>,
  mayGoOn: () => boolean,
): Promise<JobOutcome> {
  let removed = 0;
  let isDone = false;
  while (!isDone && mayGoOn()) {
    const batch = await removeBatch();
    removed += batch.removed;
    isDone = batch.isDone;
  }
  return { report: { removed }, isUnfinished: !isDone };
}
