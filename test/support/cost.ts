import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";

/** The cost of a request at D1, its work in the background included. */
export async function costOf(path: string, init: RequestInit) {
  const context = createExecutionContext();
  // An answer says how many rows were read and written only in development.
  const development = { ...env, ENVIRONMENT: "development" };
  const answer = await app.fetch(new Request(`https://loyalty.example${path}`, init), development, context);
  await waitOnExecutionContext(context);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const timing = answer.headers.get("Server-Timing") ?? "";
  const count = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1]);
  return { roundTrips: count("trips"), rowsRead: count("rows"), rowsWritten: count("written") };
}
