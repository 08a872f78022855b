import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig as readConfig } from "wrangler";
import { PRODUCTION } from "../lib/environments.ts";
import { readMigrations } from "../lib/migrations.ts";
import { CommandError, ROOT } from "../lib/project.ts";
import { type Claims, secretNameOf, signClaims } from "../lib/sign.ts";
import { runWranglerFor } from "../lib/wrangler.ts";
import { BARE_WRITES, bareTables } from "./bare.ts";

/** The built Worker in workerd on this machine, with its own database. */
export interface Runtime {
  url: string;
  database: D1Database;
  /** A token that may feed all accounts. */
  feedToken: string;
  /** Runs the schedule once: the jobs that are due, or only this job. */
  runSchedule: (job?: string) => Promise<void>;
  close: () => Promise<void>;
}

/** A Worker with its handler `scheduled`, which the types of Miniflare lack. */
interface ScheduledWorker {
  scheduled: (options: { cron: string }) => Promise<{ outcome: string }>;
}

const SECRETS = {
  JWT_SECRET: "a-secret-of-the-benchmark-that-guards-nothing",
  FEED_JWT_SECRET: "another-secret-of-the-benchmark-that-guards-nothing",
};
const DAY_SECONDS = 86_400;
const CONFIG = readConfig({ config: path.join(ROOT, "wrangler.toml") });
// In the environment `development`, answers give the number of rows read, and nobody is rate-limited.
/** The variables and the secrets of a runtime. */
export const BINDINGS = { ...CONFIG.vars, ENVIRONMENT: "development", JURISDICTION: "", ...SECRETS };

/** The folder for the databases. */
export const FOLDER = path.join(ROOT, ".wrangler", "bench");

export type OpenRuntime = typeof openRuntime;

/** Runs a measurement, and closes its runtimes at its end. */
export async function withRuntimes(measure: (open: OpenRuntime) => Promise<void>): Promise<void> {
  const runtimes: Runtime[] = [];
  // Miniflare's own listener closes the runtimes and ends this process.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => console.error("Stopped. Nothing was written."));
  const open: OpenRuntime = async (...args) => {
    const runtime = await openRuntime(...args);
    runtimes.push(runtime);
    return runtime;
  };
  try {
    await measure(open);
  } finally {
    await Promise.all(runtimes.map((runtime) => runtime.close()));
  }
}

/** Bundles scripts/COMMAND/worker.ts as a deployment does. Resolves with the name of the bundle. */
export async function buildWorker(command: "bench" | "soak" = "bench"): Promise<string> {
  const folder = path.join(ROOT, "dist", command);
  const args = ["deploy", `scripts/${command}/worker.ts`, "--dry-run", "--outdir", folder];
  const { status, output } = await runWranglerFor(PRODUCTION, args, { capture: true });
  if (status !== 0) throw new CommandError(`The Worker could not be built.\n${output}`);
  return path.join(folder, "worker.js");
}

interface RuntimeOptions {
  /** Whether the database in the folder stays. The default is a new database. */
  keep?: boolean;
  /** More variables of the Worker. */
  bindings?: Record<string, string>;
}

/** Starts the Worker on the database in `folder`. */
async function openRuntime(
  worker: string,
  folder: string,
  { keep = false, bindings = {} }: RuntimeOptions = {},
): Promise<Runtime> {
  if (!keep) emptyFolder(folder);
  const miniflare = start({
    ...workerOptions(worker),
    bindings: { ...BINDINGS, ...bindings },
    d1Databases: { DB: { id: "DB" }, BARE: { id: "BARE" } },
    resourcePersistencePath: path.join(folder, "v3"),
  });
  let closed: Promise<void> | undefined;
  const { origin: url } = await miniflare.ready;
  const database = (await miniflare.getD1Database("DB")) as D1Database;
  if (!keep) {
    await migrate(database);
    await run(database, [BARE_WRITES]);
    await run((await miniflare.getD1Database("BARE")) as D1Database, bareTables());
  }
  return {
    url,
    database,
    feedToken: await feedToken(),
    async runSchedule(job) {
      if (job !== undefined)
        await database.prepare("UPDATE jobs SET due_at = iif(name = ?, '', '9999'), lease_until = ''").bind(job).run();
      const scheduledWorker = (await miniflare.getWorker()) as Awaited<ReturnType<Miniflare["getWorker"]>> &
        ScheduledWorker;
      const { outcome } = await scheduledWorker.scheduled({ cron: "* * * * *" });
      if (outcome !== "ok") throw new CommandError(`The schedule ended with ${outcome}.`);
    },
    close: () => {
      closed ??= miniflare.dispose();
      return closed;
    },
  };
}

export function customerToken(sub: string): Promise<string> {
  return benchToken({ scope: "customer", sub });
}

export function feedToken(): Promise<string> {
  return benchToken({ scope: "feed", sub: "bench", accounts: "*" });
}

/** A token that is valid for a day. */
export function benchToken(claims: Claims): Promise<string> {
  return signClaims(
    { ...claims, exp: Math.floor(Date.now() / 1_000) + DAY_SECONDS },
    SECRETS[secretNameOf(claims.scope)],
  );
}

type MiniflareOptions = Parameters<typeof convertV4MiniflareOptions>[0];

/** Starts a runtime. By default it has the compatibility date and the variables of wrangler.toml. */
export function start(options: MiniflareOptions): Miniflare {
  const { compatibility_date: compatibilityDate = "", compatibility_flags } = CONFIG;
  return new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate,
      compatibilityFlags: compatibility_flags,
      bindings: BINDINGS,
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.ERROR),
      // Prints errors only, because each request logs a line.
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
      ...options,
    }),
  );
}

/** The options of a runtime that runs this bundle of the Worker, with everything but its database. */
export function workerOptions(worker: string) {
  return {
    name: "worker",
    modules: [{ type: "ESModule" as const, path: "worker.js", contents: readFileSync(worker, "utf8") }],
    kvNamespaces: ["CACHE"],
    durableObjects: {
      INBOXES: { className: "Inbox", useSQLite: true },
      FAN_OUTS: { className: "FanOut", useSQLite: true },
    },
  };
}

export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

export async function migrate(d1: D1Database): Promise<void> {
  await run(
    d1,
    readMigrations().flatMap(({ statements }) => statements),
  );
}

async function run(d1: D1Database, statements: readonly string[]): Promise<void> {
  await d1.batch(statements.map((statement) => d1.prepare(statement)));
}
