import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { createRouter } from "../../src/app-env.ts";
import { verifyBookmark } from "../../src/db/bookmarks.ts";
import { type Consistency, Database } from "../../src/db/database.ts";
import { query } from "../../src/db/query.ts";
import { jobs } from "../../src/db/tables.ts";
import { answerFailure, upgradeRequired } from "../../src/http/errors.ts";
import { FanOut } from "../../src/inbox/fan-out.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes, inboxName, inJurisdiction } from "../../src/inbox/inboxes.ts";
import { workerVersion } from "../../src/middleware/metrics.ts";
import { observe } from "../../src/middleware/observe.ts";
import { exportOnly } from "../../src/middleware/token.ts";
import { validateBody } from "../../src/middleware/validate.ts";
import { findOverdueJobs } from "../../src/service/queries.ts";
import { clock } from "../../src/values/clock.ts";

export const PROBE_PATH = "/api/v1/probe";

/** All data of a probe has this name, so the next probe overwrites or removes the data of an interrupted one. */
const NAME = "npm run edge -- probe";
const CALLS = 12;
const CALL_MS = 1_000;
const READS = 10;
const BOOKMARKS = 10;
const SOCKET_SECONDS = 900;

const Measurement = z.object({
  measure: z.enum(["calls", "batch", "reads", "lag", "bookmarks", "change", "fresh", "version", "clean"]),
  /** For `batch`. */
  mebibytes: z.int().min(1).max(8).default(1),
  /** For `reads`. */
  at: z.enum(["first-primary", "first-unconstrained"]).default("first-primary"),
  /** For `fresh`: the bookmark of a frame. */
  bookmark: z.string().default(""),
});

/** Measures one property of the real Cloudflare. `npm run edge -- probe` sends a request for each. */
export const probe = createRouter()
  .use(observe, exportOnly)
  .post(PROBE_PATH, validateBody(Measurement), async (c) => {
    const items = await measure(c.env, c.req.valid("json"));
    return c.json({ status: true, items });
  })
  .get(PROBE_PATH, async (c) => {
    if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") throw upgradeRequired();
    const { webSocket } = await new Inboxes(c.env).connect({
      customerId: NAME,
      tokenExpires: Date.now() / 1_000 + SOCKET_SECONDS,
      subscription: { newestAt: "", bookmark: "", at: Date.now() },
    });
    // The headers of the original response are immutable.
    return new Response(null, { status: 101, webSocket });
  });
probe.onError(answerFailure);

async function measure(env: Env, parameters: z.output<typeof Measurement>): Promise<object> {
  switch (parameters.measure) {
    case "calls":
      return { calls: await Promise.all(Array.from({ length: CALLS }, (_, index) => timeCall(env, index))) };
    case "batch":
      return sendBatch(new Database(env.DB, "first-primary"), parameters.mebibytes);
    case "reads":
      return timeReads(new Database(env.DB, parameters.at));
    case "lag":
      return timeLag(env);
    case "bookmarks":
      return { bookmarks: await bookmarksInOrder(env) };
    case "change":
      await (await inboxOf(env)).notify({ topics: ["balance"], newestAt: "", bookmark: await bookmarkOfWrite(env) });
      return {};
    case "fresh":
      return timeRead(env, await verifyBookmark(parameters.bookmark, env), parameters.bookmark);
    case "version":
      // The call fails while the object gets its new code.
      return attempt(inboxOf(env).then((inbox) => inbox.version()));
    case "clean":
      await (await inboxOf(env)).notify({ topics: ["erased"], newestAt: "", bookmark: "" });
      return {};
  }
}

/** The milliseconds of a call to an object that waits one second, or the error text. */
async function timeCall(env: Env, index: number): Promise<number | string> {
  const fanOuts = inJurisdiction(env, env.FAN_OUTS as DurableObjectNamespace<ProbedFanOut>);
  const fanOut = fanOuts.get(fanOuts.idFromName(`${NAME}, ${index}`));
  const startedAt = performance.now();
  const { error } = await attempt(fanOut.pause());
  return error === "" ? performance.now() - startedAt : error;
}

/** Sends texts of half a mebibyte each, below D1's limit for a parameter. */
async function sendBatch(db: Database, mebibytes: number) {
  const text = JSON.stringify(Array.from({ length: 5_000 }, () => "x".repeat(101)));
  // Each statement reads this text and no table.
  const countItems: SQL = sql`SELECT count(*) FROM json_each(${text})`;
  const { error } = await attempt(db.write({ items: Array.from({ length: mebibytes * 2 }, () => countItems) }));
  return { milliseconds: db.usage.milliseconds, error };
}

async function timeReads(db: Database) {
  const milliseconds: number[] = [];
  for (let before = 0; milliseconds.length < READS; before = db.usage.milliseconds) {
    await findOverdueJobs(db);
    milliseconds.push(db.usage.milliseconds - before);
  }
  return { milliseconds, isPrimary: db.usage.primary, region: db.usage.region };
}

/** Measures how long a replica takes to reach a write: reads in a session that begins at the bookmark of the write. */
async function timeLag(env: Env) {
  const bookmark = await bookmarkOfWrite(env);
  return timeRead(env, bookmark, bookmark);
}

async function bookmarksInOrder(env: Env): Promise<string[]> {
  const bookmarks: string[] = [];
  while (bookmarks.length < BOOKMARKS) bookmarks.push(await bookmarkOfWrite(env));
  return bookmarks;
}

async function bookmarkOfWrite(env: Env): Promise<string> {
  const primary = new Database(env.DB, "first-primary");
  // A write that changes nothing.
  await primary.write({ same: [query.update(jobs).set({ due_at: jobs.due_at })] });
  return primary.bookmark ?? "";
}

/** `isFresh`: whether the read is as new as this bookmark, signed or not. */
async function timeRead(env: Env, start: Consistency, bookmark: string) {
  const db = new Database(env.DB, start);
  await findOverdueJobs(db);
  const { milliseconds, primary } = db.usage;
  return { milliseconds, isPrimary: primary, isFresh: (db.bookmark ?? "") >= bookmark.replace(/\..*/, "") };
}

/**
 * The result and an empty `error`, or null and Cloudflare's error text. The text contains no data of the program, because no
 * measurement reads any.
 */
async function attempt<Value>(work: Promise<Value>): Promise<{ value: Value | null; error: string }> {
  try {
    return { value: await work, error: "" };
  } catch (error) {
    const { cause = error } = error instanceof Error ? error : {};
    return { value: null, error: cause instanceof Error ? cause.message : String(cause) };
  }
}

async function inboxOf(env: Env) {
  const inboxes = inJurisdiction(env, env.INBOXES as DurableObjectNamespace<ProbedInbox>);
  return inboxes.get(inboxes.idFromName(await inboxName(env.ENVIRONMENT, NAME)));
}

export class ProbedFanOut extends FanOut {
  pause(): Promise<void> {
    return clock.pause(CALL_MS);
  }
}

export class ProbedInbox extends Inbox {
  version(): string {
    return workerVersion(this.env) ?? "";
  }
}
