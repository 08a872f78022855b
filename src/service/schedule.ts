import { Database } from "../db/database.ts";
import { mergeIndexes } from "../db/merge-indexes.ts";
import { Inboxes } from "../live/inboxes.ts";
import { removeFormerListeners } from "../live/queries.ts";
import { tellUntold } from "../live/schedule.ts";

interface Job {
  work: string;
  /** What there was to do and what is left; null where there was nothing. */
  run: (db: Database, env: Env) => Promise<object | null>;
}

/** The job of each cron of `wrangler.toml`. */
const JOBS: Readonly<Record<string, Job>> = {
  "* * * * *": { work: "tell inboxes", run: (db, env) => tellUntold(db, new Inboxes(env.INBOXES)) },
  "30 5 * * *": { work: "remove former listeners", run: async (db) => ({ removed: await removeFormerListeners(db) }) },
  "0 6 * * MON": { work: "merge the search indexes", run: (db) => mergeIndexes(db) },
};

/** Runs a scheduled job. A failure ends it and is in the platform's log; the next run goes on. */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron }, env) => {
  const job = JOBS[cron];
  if (job === undefined) throw new Error(`There is no job for the cron ${cron}.`);
  const startedAt = performance.now();
  const report = await job.run(new Database(env.DB, "first-primary"), env);
  const milliseconds = Math.round(performance.now() - startedAt);
  if (report !== null) console.log(JSON.stringify({ schedule: cron, work: job.work, ...report, milliseconds }));
};
