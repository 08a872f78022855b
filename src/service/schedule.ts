import { Database } from "../db/database.ts";
import { mergeIndexes } from "../db/merge-indexes.ts";

/** What the schedule in `wrangler.toml` does. A fault ends it, and the platform's log says so; the next time goes on. */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron }, env) => {
  const startedAt = performance.now();
  const report = await mergeIndexes(new Database(env.DB, "first-primary"));
  const milliseconds = Math.round(performance.now() - startedAt);
  console.log(JSON.stringify({ schedule: cron, work: "merge the search indexes", ...report, milliseconds }));
};
