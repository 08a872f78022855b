import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";

/** What a request costs at D1. Waits for its work in the background. */
export async function costOf(path: string, init: RequestInit) {
  const context = createExecutionContext();
  // In development an answer says how many rows were read and written.
  const development = { ...env, ENVIRONMENT: "development" };
  const answer = await app.fetch(new Request(`https://loyalty.example${path}`, init), development, context);
  await waitOnExecutionContext(context);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const timing = answer.headers.get("Server-Timing") ?? "";
  const count = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1]);
  return { roundTrips: count("trips"), rowsRead: count("rows"), rowsWritten: count("written") };
}
