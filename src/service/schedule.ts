import { mergeIndexes } from "../customer/search/merge-indexes.ts";
import { Database } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { historySettings } from "../domain/history.ts";
import { type Sealed, sealHistory } from "../history/seal.ts";
import { type Drained, drainOutbox } from "../inbox/drain.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { removeFormerListeners } from "../inbox/queries.ts";
import { writeMetrics } from "../metrics/metrics.ts";
import { variableFault } from "./variables.ts";

/** What a run has come to, in the words of the log. */
type Report = Drained | Sealed | { removed: number } | { steps: number; unfinished: readonly string[] };

interface Outcome {
  /** Null: there was nothing to do. */
  report: Report | null;
  /** What failed of it, where the rest went on all the same. */
  failures?: readonly unknown[];
}

interface Job {
  work: string;
  /** How long a run may take. */
  milliseconds: number;
  /** Resolves with null where a deployment does without the job. */
  run: (db: Database, of: Run) => Promise<Outcome | null>;
}

/** What a run has at hand. */
interface Run {
  env: Env;
  inboxes: Inboxes;
  /** Whether time and statements are left for another step. */
  mayGoOn: () => boolean;
}

/** A Worker is ended after 1,000 statements at D1; some are left for a step that has begun. */
const STATEMENTS_A_RUN = 930;

/** The job of each cron of `wrangler.toml`. */
const JOBS: Readonly<Record<string, Job>> = {
  "* * * * *": {
    work: "notify inboxes",
    milliseconds: 50_000,
    run: async (db, { inboxes }) => ({ report: await drainOutbox(db, inboxes, { milliseconds: 50_000 }) }),
  },
  "30 5 * * *": {
    work: "remove former listeners",
    milliseconds: 300_000,
    run: async (db, { mayGoOn }) => {
      let [removed, isDone] = [0, false];
      while (!isDone && mayGoOn()) {
        const step = await removeFormerListeners(db);
        removed += step.removed;
        isDone = step.isDone;
      }
      return { report: { removed } };
    },
  },
  "0 6 * * *": {
    work: "merge the search indexes",
    milliseconds: 300_000,
    run: async (db) => ({ report: await mergeIndexes(db) }),
  },
  "*/10 7-10 * * *": {
    work: "seal history",
    milliseconds: 480_000,
    run: async (db, { env, mayGoOn }) => {
      const settings = historySettings(env);
      return settings && sealHistory(db, { settings, worker: env.WORKER_NAME, now: new Date(), mayGoOn });
    },
  },
};

/** Runs a scheduled job. What fails of it is logged, the platform's log has it too, and the next run goes on. */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron }, env) => {
  const job = JOBS[cron];
  if (job === undefined) throw new Error(`There is no job for the cron ${cron}.`);
  const wrong = variableFault({ ...env });
  if (wrong !== null) console.error(JSON.stringify({ error: "VARIABLE_WRONG", ...wrong }));
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const db = new Database(env.DB, "first-primary");
  const inboxes = new Inboxes(env);
  const mayGoOn = () => elapsed() < job.milliseconds && db.usage.statements < STATEMENTS_A_RUN;

  const outcome = await job
    .run(db, { env, inboxes, mayGoOn })
    .catch((error: unknown): Outcome => ({ report: null, failures: [error] }));
  if (outcome === null) return;
  const { report, failures = [] } = outcome;
  const line = { schedule: cron, work: job.work };
  const milliseconds = Math.round(elapsed());
  if (report !== null) console.log(JSON.stringify({ ...line, ...report, milliseconds }));
  const values = { ...NOTHING, ...report, work: job.work, failures: failures.length, milliseconds };
  writeMetrics(env, "run", values);
  if (failures.length === 0) return;
  const [cause] = failures;
  const name = cause instanceof Error ? cause.name : typeof cause;
  console.error(JSON.stringify({ ...line, error: "JOB_FAILED", cause: name, fault: databaseFaultOf(cause) }));
  throw cause;
};

/** What a run leaves in the metrics of jobs that are not its own. */
const NOTHING = { waiting: 0, oldestSeconds: 0, notified: 0, failed: 0, sealed: 0, behindDays: 0 };
