import { Database } from "../db/database.ts";
import { mergeIndexes } from "../db/merge-indexes.ts";

/** The scheduled job of `wrangler.toml`. A failure ends it and is in the platform's log; the next run goes on. */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron }, env) => {
  const startedAt = performance.now();
  const report = await mergeIndexes(new Database(env.DB, "first-primary"));
  const milliseconds = Math.round(performance.now() - startedAt);
  console.log(JSON.stringify({ schedule: cron, work: "merge the search indexes", ...report, milliseconds }));
};
