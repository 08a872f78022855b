import { mergeIndexes } from "../customer/search/merge-indexes.ts";
import type { Database } from "../db/database.ts";
import { historySettings } from "../feed/horizon.ts";
import { type Sealed, sealHistory } from "../history/seal.ts";
import type { Drained } from "../inbox/drain.ts";
import { removeFormerListeners } from "../inbox/listeners.ts";

/** What some work has come to. */
export interface Outcome {
  /** In the words of the log; null: there was nothing to do. */
  report: Drained | Sealed | { removed: number } | { steps: number; unfinished: readonly string[] } | null;
  /** What failed of it, where the rest went on all the same. */
  failures?: readonly unknown[];
  /** Whether something is left for another run. */
  isUnfinished?: boolean;
}

/** A job, and when it is due: at this time of day in UTC, and every so many minutes from then. */
export interface Job {
  name: string;
  from: string;
  everyMinutes: number;
  /** What is left after this time of day waits for the next day; left out: nothing waits. */
  until?: string;
  /** How long a run may take. */
  milliseconds: number;
  run: (db: Database, run: { env: Env; mayGoOn: () => boolean }) => Promise<Outcome>;
}

const NOTHING: Outcome = { report: null };
const DAILY = 1_440;

export const JOBS: readonly Job[] = [
  // Its row tells /health that the schedule runs.
  { name: "check in", from: "00:00", everyMinutes: 10, milliseconds: 0, run: async () => NOTHING },
  {
    name: "remove former listeners",
    from: "05:30",
    everyMinutes: DAILY,
    milliseconds: 300_000,
    run: async (db, { mayGoOn }) => {
      let [removed, isDone] = [0, false];
      while (!isDone && mayGoOn()) {
        const step = await removeFormerListeners(db);
        removed += step.removed;
        isDone = step.isDone;
      }
      return { report: { removed }, isUnfinished: !isDone };
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
    name: "seal history",
    from: "07:00",
    everyMinutes: DAILY,
    until: "10:50",
    milliseconds: 480_000,
    run: async (db, { env, mayGoOn }) => {
      const settings = historySettings(env);
      if (settings === null) return NOTHING;
      return sealHistory(db, { settings, worker: env.WORKER_NAME, now: new Date(), mayGoOn });
    },
  },
];
