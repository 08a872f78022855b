import { Database } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { drainOutbox } from "../inbox/drain.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { writeMetrics } from "../middleware/metrics.ts";
import { JOBS, type JobOutcome } from "./jobs.ts";
import { beginRun, type Claim, endJob } from "./queries.ts";
import { variableFault } from "./variables.ts";

/** D1 allows 1,000 statements per invocation. The other 70 are for a step that has begun before this limit. */
const STATEMENTS_A_RUN = 930;
const DRAIN_MS = 50_000;

/**
 * Runs every minute: shows due messages, notifies inboxes, and runs one due job. Failures are logged. A failed job runs
 * again after its lease.
 */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async (_, env) => {
  const wrongVariable = variableFault({ ...env });
  if (wrongVariable !== null) console.error(JSON.stringify({ error: "VARIABLE_WRONG", ...wrongVariable }));
  const db = new Database(env.DB, "first-primary");
  let claim: Claim | undefined;

  const failures = await perform(env, "notify inboxes", async () => {
    const run = await beginRun(db);
    claim = run.claim;
    const drained = await drainOutbox(db, new Inboxes(env), run.backlog, DRAIN_MS);
    if (drained?.delivery) writeMetrics(env, "delivery", { by: "schedule", ...drained.delivery });
    return { report: drained?.report ?? null };
  });
  if (claim !== undefined) failures.push(...(await doJob(env, db, claim)));
  if (failures.length > 0) throw failures[0];
};

async function doJob(env: Env, db: Database, claim: Claim): Promise<unknown[]> {
  const job = JOBS.find(({ name }) => name === claim.name);
  if (job === undefined) throw new Error(`There is no job ${claim.name}.`);
  return perform(env, job.name, async () => {
    const endsAt = performance.now() + job.milliseconds;
    const mayGoOn = () => performance.now() < endsAt && db.usage.statements < STATEMENTS_A_RUN;
    const outcome = await job.run(db, { env, mayGoOn });
    await endJob(db, claim, job, outcome.isUnfinished ?? false);
    return outcome;
  });
}

/** Runs some work, logs its result, and writes its metrics. Resolves with the errors. */
async function perform(env: Env, work: string, run: () => Promise<JobOutcome>): Promise<unknown[]> {
  const startedAt = performance.now();
  const { report, failures = [] } = await run().catch(
    (error: unknown): JobOutcome => ({ report: null, failures: [error] }),
  );
  const milliseconds = Math.round(performance.now() - startedAt);
  if (report !== null) console.log(JSON.stringify({ work, ...report, milliseconds }));
  writeMetrics(env, "run", { ...report, work, failures: failures.length, milliseconds });
  if (failures.length > 0) {
    const [cause] = failures;
    const name = cause instanceof Error ? cause.name : typeof cause;
    console.error(JSON.stringify({ work, error: "JOB_FAILED", cause: name, fault: databaseFaultOf(cause) }));
  }
  return [...failures];
}
