import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { sign } from "hono/jwt";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig as readConfig, unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { CommandError, ROOT } from "../lib/project.ts";
import { runWrangler } from "../lib/wrangler.ts";
import { bareTables } from "./bare.ts";
import type { Asked } from "./cases.ts";

/** The built Worker, running on a database of its own in this machine's workerd. */
export interface Stand extends Asked {
  url: string;
  feedToken: string;
  /** Merges the search indexes, as the schedule does once a week. */
  runSchedule: () => Promise<void>;
  close: () => Promise<void>;
}

interface Scheduled {
  scheduled: (options: { cron: string }) => Promise<{ outcome: string }>;
}

const CONFIG = path.join(ROOT, "wrangler.toml");
const SECRET = "a-secret-of-the-benchmark-that-guards-nothing";
const DAY_SECONDS = 86_400;
const MERGE_CRON = "0 6 * * MON";

/** The binding of the inboxes, as a runtime of the benchmarks takes it. */
export const INBOXES = { INBOXES: { className: "Inbox", useSQLite: true } };

/** Bundles the Worker as a deploy would, with what it is measured against beside it. Resolves with the file. */
export async function buildWorker(): Promise<string> {
  const folder = path.join(ROOT, "dist", "bench");
  const args = ["deploy", "scripts/bench/worker.ts", "--dry-run", "--outdir", folder, "--env="];
  const { status, output } = await runWrangler(args, { capture: true });
  if (status !== 0) throw new CommandError(`The Worker could not be built.\n${output}`);
  return path.join(folder, "worker.js");
}

/** Starts a stand on the database in `folder`: an empty one, unless `keep` says to go on with what is there. */
export async function openStand(worker: string, folder: string, { keep }: { keep: boolean }): Promise<Stand> {
  if (!keep) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...benchConfig(),
      name: "bench",
      modules: [{ type: "ESModule", path: "worker.js", contents: readFileSync(worker, "utf8") }],
      d1Databases: { DB: { id: "DB" }, BARE: { id: "BARE" } },
      kvNamespaces: ["CACHE"],
      durableObjects: INBOXES,
      resourcePersistencePath: path.join(folder, "v3"),
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.ERROR),
      // A line a request that nobody reads, and now and then an error that somebody should.
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") console.error(message);
      },
    }),
  );
  const { origin: url } = await miniflare.ready;
  const database = async (binding: string) => (await miniflare.getD1Database(binding)) as unknown as D1Database;
  if (!keep) {
    await migrate(await database("DB"));
    await run(await database("BARE"), [...migrations(), ...bareTables()]);
  }
  return {
    url,
    database: await database("DB"),
    customerToken,
    feedToken: await feedToken("*"),
    runSchedule: async () => {
      const worker = (await miniflare.getWorker()) as unknown as Scheduled;
      const { outcome } = await worker.scheduled({ cron: MERGE_CRON });
      if (outcome !== "ok") throw new CommandError(`The schedule ended with ${outcome}.`);
    },
    close: () => miniflare.dispose(),
  };
}

/** What every runtime of the benchmarks is started with. */
export function benchConfig() {
  const { compatibility_date: compatibilityDate = "", compatibility_flags, vars } = readConfig({ config: CONFIG });
  // In development the answers say how many rows were read, and nobody is slowed down.
  const bindings = { ...vars, ENVIRONMENT: "development", JWT_SECRET: SECRET };
  return { compatibilityDate, compatibilityFlags: compatibility_flags, bindings };
}

export function migrate(d1: D1Database): Promise<void> {
  return run(d1, migrations());
}

export function customerToken(sub: string): Promise<string> {
  return token({ scope: "customer", sub });
}

export function feedToken(accounts: readonly string[] | "*"): Promise<string> {
  return token({ scope: "feed", sub: "bench", accounts });
}

export function exportToken(): Promise<string> {
  return token({ scope: "export", sub: "bench", accounts: "*" });
}

/** The statements of all migrations. */
function migrations(): string[] {
  const folder = path.join(ROOT, "migrations");
  const files = readdirSync(folder).sort();
  return files.flatMap((file) => splitSqlQuery(readFileSync(path.join(folder, file), "utf8")));
}

async function run(d1: D1Database, statements: readonly string[]): Promise<void> {
  await d1.batch(statements.map((statement) => d1.prepare(statement)));
}

function token(claims: Record<string, unknown>): Promise<string> {
  return sign({ ...claims, exp: Math.floor(Date.now() / 1_000) + DAY_SECONDS }, SECRET, "HS256");
}
