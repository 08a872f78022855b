import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.ts";
import { rows } from "./state.ts";

/** Runs the schedule, as Cloudflare does every minute. */
export const runMinute = (bindings = env) =>
  worker.scheduled(createScheduledController({ cron: "* * * * *" }), bindings, createExecutionContext());

/** Makes only this job due, or no job if the name is left out. */
export const makeDue = (name = "") =>
  rows("UPDATE jobs SET due_at = iif(name = ?, (SELECT now FROM clock), '9999'), lease_until = ''", name);

/** Runs the schedule once, with only this job due, or no job if it is left out. */
export async function runSchedule(job?: string): Promise<void> {
  await makeDue(job);
  await runMinute();
}
