import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.ts";
import { setVariables } from "../support/test-programs.ts";

/** Keeps events for so many months, from now on, in the tests' bucket or in another. */
export function keepMonths(months: number | undefined, bucket: unknown = env.TEST_HISTORY): void {
  setVariables({
    HISTORY_MONTHS: months === undefined ? "" : String(months),
    HISTORY: months === undefined ? undefined : bucket,
  });
}

/** The job of a night, once. */
export const seal = () =>
  worker.scheduled(createScheduledController({ cron: "*/10 7-10 * * *" }), env, createExecutionContext());

/** The lines of an object in the bucket. */
export async function linesOf(name: unknown): Promise<Record<string, unknown>[]> {
  const object = await env.TEST_HISTORY.get(String(name));
  if (object === null) throw new Error(`There is no object ${name}.`);
  const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** `YYYY-MM-DD 12:00:00` of a day so many months before this one. */
export function monthsAgo(months: number, day = 15): string {
  const now = new Date();
  return `${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, 12)).toISOString().slice(0, 10)} 12:00:00`;
}
