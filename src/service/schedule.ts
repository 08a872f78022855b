import { Database } from "../db/database.ts";
import { mergeIndexes } from "../db/merge-indexes.ts";
import { Inboxes } from "../live/inboxes.ts";
import { removeFormerListeners } from "../live/queries.ts";
import { tellUntold } from "../live/schedule.ts";

interface Job {
  work: string;
  /** What there was to do and what is left; null where there was nothing. */
  run: (db: Database, inboxes: Inboxes) => Promise<object | null>;
}

/** The job of each cron of `wrangler.toml`. */
const JOBS: Readonly<Record<string, Job>> = {
  "* * * * *": { work: "tell inboxes", run: tellUntold },
  "30 5 * * *": { work: "remove former listeners", run: async (db) => ({ removed: await removeFormerListeners(db) }) },
  "0 6 * * MON": { work: "merge the search indexes", run: (db) => mergeIndexes(db) },
};

/** Runs a scheduled job. A failure ends it and is in the platform's log; the next run goes on. */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron }, env, context) => {
  const job = JOBS[cron];
  if (job === undefined) throw new Error(`There is no job for the cron ${cron}.`);
  const startedAt = performance.now();
  const inboxes = new Inboxes(env.INBOXES, (work) => context.waitUntil(work));
  const report = await job.run(new Database(env.DB, "first-primary"), inboxes);
  const milliseconds = Math.round(performance.now() - startedAt);
  if (report !== null) console.log(JSON.stringify({ schedule: cron, work: job.work, ...report, milliseconds }));
};
