import { Database } from "../db/database.ts";
import { mergeIndexes } from "../db/merge-indexes.ts";
import { Inboxes } from "../live/inboxes.ts";
import { removeFormerListeners } from "../live/queries.ts";
import { tellUntold } from "../live/schedule.ts";
import { DEFAULT_PROGRAM, listPrograms, nameInLog } from "../programs/programs.ts";

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

/** At most so many programs at once: a Worker has six connections. */
const AT_ONCE = 4;
const MINUTE_MS = 60_000;

/**
 * Runs a scheduled job for every program. A failure ends it for that program, the platform's log has it, and the next
 * run goes on.
 */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron, scheduledTime }, env, context) => {
  const job = JOBS[cron];
  if (job === undefined) throw new Error(`There is no job for the cron ${cron}.`);
  // Another program is first each minute, because a Worker is ended after 1,000 queries.
  const queue = rotate(listPrograms(env), Math.floor(scheduledTime / MINUTE_MS)).values();
  const failures: unknown[] = [];
  const runNext = async () => {
    for (const program of queue) {
      const startedAt = performance.now();
      const inboxes = new Inboxes(env.INBOXES, program.name, (work) => context.waitUntil(work));
      try {
        const report = await job.run(new Database(program.database, "first-primary"), inboxes);
        const milliseconds = Math.round(performance.now() - startedAt);
        const line = { schedule: cron, work: job.work, ...nameInLog(program), ...report, milliseconds };
        if (report !== null) console.log(JSON.stringify(line));
      } catch (error) {
        if (program.name !== DEFAULT_PROGRAM)
          console.error(JSON.stringify({ schedule: cron, work: job.work, ...nameInLog(program), error: "JOB_FAILED" }));
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  if (failures.length > 0) throw failures[0];
};

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
