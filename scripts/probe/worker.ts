import { type SQL, sql } from "drizzle-orm";
import { type Consistency, Database } from "../../src/db/database.ts";
import { query } from "../../src/db/query.ts";
import { jobs } from "../../src/db/tables.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { Inboxes, inboxName, inJurisdiction } from "../../src/inbox/inboxes.ts";
import { workerVersion } from "../../src/middleware/metrics.ts";
import { findOverdueJobs } from "../../src/service/queries.ts";
import { clock } from "../../src/values/clock.ts";
import { sha256Of } from "../../src/values/sha256.ts";

// The Worker of `npm run probe`. It uses the database and the inboxes of a program, and has objects of its own.

export interface ProbeEnv extends Env {
  /** The SHA-256 of the only token that it takes. */
  TOKEN_HASH: string;
  PROBED: DurableObjectNamespace<Probed>;
}

/** The probe's inbox has this name, so the next probe overwrites or removes what an interrupted one has left. */
const NAME = "npm run probe";
const CALLS = 12;
const CALL_MS = 1_000;
const READS = 10;
const BOOKMARKS = 10;
const FRAMES = 5;
const SOCKET_SECONDS = 900;

interface Parameters {
  /** For `batch`. */
  mebibytes: number;
  /** For `reads`. */
  at: "first-primary" | "first-unconstrained";
}

/** What `npm run probe` measures of the real Cloudflare, with a request for each. */
const MEASUREMENTS = {
  calls: async (env) => ({
    calls: await Promise.all(Array.from({ length: CALLS }, (_, index) => timeCall(env, index))),
  }),
  batch: (env, { mebibytes }) => sendBatch(new Database(env.DB, "first-primary"), mebibytes),
  reads: (env, { at }) => timeReads(new Database(env.DB, at)),
  lag: async (env) => timeRead(env, await bookmarkOfWrite(env)),
  bookmarks: async (env) => ({ bookmarks: await repeat(BOOKMARKS, () => bookmarkOfWrite(env)) }),
  frames: async (env) => ({ frames: await timeFrames(env) }),
  // The call fails while the object gets its new code.
  version: (env) => attempt(objectOf(env.PROBED, env).then((inbox) => inbox.version())),
  clean: async (env) => {
    await (await objectOf(env.INBOXES, env)).notify({ topics: ["erased"], newestAt: "", bookmark: "" });
    return {};
  },
} satisfies Record<string, (env: ProbeEnv, parameters: Parameters) => Promise<object>>;

export default {
  async fetch(request, env) {
    const token = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1] ?? "";
    if ((await sha256Of(token)) !== env.TOKEN_HASH) return new Response(null, { status: 401 });
    if (request.headers.has("Upgrade")) {
      const { webSocket } = await connect({ ...env, INBOXES: env.PROBED });
      return new Response(null, { status: 101, webSocket });
    }
    const { measure, ...parameters } = await request.json<Parameters & { measure: keyof typeof MEASUREMENTS }>();
    return Response.json(await MEASUREMENTS[measure](env, parameters));
  },
} satisfies ExportedHandler<ProbeEnv>;

/** The milliseconds of a call to an object that waits one second, or the error text. */
async function timeCall(env: ProbeEnv, index: number): Promise<number | string> {
  const object = await objectOf(env.PROBED, env, String(index));
  const startedAt = performance.now();
  const { error } = await attempt(object.pause());
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
  const milliseconds = await repeat(READS, async () => {
    const before = db.usage.milliseconds;
    await findOverdueJobs(db);
    return db.usage.milliseconds - before;
  });
  return { milliseconds, isPrimary: db.usage.primary, region: db.usage.region };
}

async function repeat<Value>(times: number, work: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  while (values.length < times) values.push(await work());
  return values;
}

async function bookmarkOfWrite(env: Env): Promise<string> {
  const primary = new Database(env.DB, "first-primary");
  // A write that changes nothing.
  await primary.write({ same: [query.update(jobs).set({ due_at: jobs.due_at })] });
  return primary.bookmark ?? "";
}

/** A read in a session that begins at a bookmark. `isFresh`: whether the read is as new as the bookmark. */
async function timeRead(env: Env, bookmark: Consistency) {
  const db = new Database(env.DB, bookmark);
  await findOverdueJobs(db);
  const { milliseconds, primary } = db.usage;
  return { milliseconds, isPrimary: primary, isFresh: (db.bookmark ?? "") >= bookmark };
}

/** Listens at the program's inbox, and reads at the bookmark of each frame. */
async function timeFrames(env: Env) {
  const { webSocket } = await connect(env);
  if (webSocket === null) throw new Error("No socket opens at the inbox.");
  const nextFrame = () =>
    new Promise<string>((resolve) =>
      webSocket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)).bookmark), { once: true }),
    );
  const hello = nextFrame();
  webSocket.accept();
  await hello;
  return repeat(FRAMES, async () => {
    const bookmark = await bookmarkOfWrite(env);
    const startedAt = performance.now();
    const frame = nextFrame();
    await (await objectOf(env.INBOXES, env)).notify({ topics: ["balance"], newestAt: "", bookmark });
    // A frame's bookmark is signed.
    const [announced = ""] = (await frame).split(".");
    const { isFresh } = await timeRead(env, announced);
    return { isFresh: isFresh && announced >= bookmark, milliseconds: performance.now() - startedAt };
  }).finally(() => webSocket.close());
}

/** A socket at the probe's inbox. */
function connect(env: Env): Promise<Response> {
  return new Inboxes(env).connect({
    customerId: NAME,
    tokenExpires: Date.now() / 1_000 + SOCKET_SECONDS,
    subscription: { newestAt: "", bookmark: "", at: Date.now() },
  });
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

async function objectOf<T extends Inbox>(namespace: DurableObjectNamespace<T>, env: Env, name = NAME) {
  const inboxes = inJurisdiction(env, namespace);
  return inboxes.get(inboxes.idFromName(await inboxName(env.ENVIRONMENT, name)));
}

/** The inboxes of the probe itself: only its own Worker can deploy other code for them. */
export class Probed extends Inbox {
  version(): string {
    return workerVersion(this.env) ?? "";
  }

  pause(): Promise<void> {
    return clock.pause(CALL_MS);
  }
}
