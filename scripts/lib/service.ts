import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { variableFault } from "../../src/service/variables.ts";
import { latelyLines } from "../program/lately.ts";
import type { Line } from "../program/line.ts";
import { DEMO_CUSTOMER, demoLines } from "../program/program.ts";
import type { ExampleApp } from "./app-page.ts";
import { APP_CUSTOMERS } from "./app-session.ts";
import { askDatabase, type DatabaseLocation } from "./database.ts";
import { DEVELOPMENT, PRODUCTION, refuseWrongVariables, variablesOf } from "./environments.ts";
import { sendLines } from "./feed-client.ts";
import { formatNumber } from "./format.ts";
import { readMigrations } from "./migrations.ts";
import { withProgress } from "./progress.ts";
import { CommandError, type runTool } from "./project.ts";
import { buildReference } from "./reference.ts";
import { devToken, ensureDevVars, readDevVars } from "./tokens.ts";
import { runWranglerFor } from "./wrangler.ts";

export interface ServiceOptions {
  /** A program of environments.toml. */
  env: string;
  port: number;
  /** The folder for the service's data. */
  persistTo: string;
  /** Values of variables, in place of those of wrangler.toml. */
  variables?: Readonly<Record<string, string>>;
  /** What D1's clock says at the start. */
  now?: Date;
  /** Whether to print the log. */
  logs?: boolean;
}

const READY_WITHIN_MS = 60_000;

/**
 * Creates what the service needs: secrets, a migrated database, the reference page and the example app.
 * @throws a CommandError if a variable is wrong, the port or the folder is taken, or the database cannot be migrated.
 */
export async function prepare(
  { env, port, persistTo, variables, now }: ServiceOptions,
  app?: ExampleApp,
): Promise<void> {
  refuseWrongVariables(env);
  const fault = variableFault({ ...variablesOf(env), ENVIRONMENT: DEVELOPMENT, ...variables });
  if (fault !== null) throw new CommandError(`${fault.name} must ${fault.must}.`);
  holdFolder(persistTo, port);
  await refuseTakenPort(port);
  ensureDevVars(env);
  const token = await devToken({ scope: "customer", customerId: DEMO_CUSTOMER }, env);
  buildReference(referenceIn(persistTo), { token, ...(app && { app }) });
  await migrate(env, persistTo);
  await setClock({ env, persistTo }, now);
}

/**
 * Runs the service on a prepared database until the signal aborts. Resolves with the exit status.
 * @throws Interrupted after Ctrl-C or a kill.
 */
export function serve(
  { env, port, persistTo, variables, logs }: ServiceOptions,
  signal: AbortSignal,
): ReturnType<typeof runTool> {
  const previousSecrets = Object.entries(readDevVars(env)).filter(
    ([name, secret]) => /^(FEED_)?JWT_SECRET_PREVIOUS$/.test(name) && secret !== "",
  );
  const workerVariables = {
    ENVIRONMENT: DEVELOPMENT,
    // The local runtime has no jurisdictions.
    JURISDICTION: "",
    ...variables,
    // Wrangler takes only required secrets from .dev.vars, and wrangler.toml does not require these.
    ...Object.fromEntries(previousSecrets),
  };
  const args = [
    ...["dev", "--port", String(port), "--ip", "127.0.0.1", "--persist-to", path.resolve(persistTo)],
    ...Object.entries(workerVariables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    `--assets=${referenceIn(persistTo)}`,
    "--show-interactive-dev-session=false",
    // By default wrangler looks for a free port from 9229 on. If two services start at once, both may find the same
    // port.
    "--inspector-port=0",
    // Runs the schedule at /__scheduled. Without this, wrangler warns that nothing runs it.
    "--test-scheduled",
    `--log-level=${logs ? "log" : "warn"}`,
  ];
  return runWranglerFor(env, args, { place: "local", signal });
}

/** Feeds the demo program. */
export async function loadDemo(url: string, env = PRODUCTION): Promise<void> {
  const lines = demoLines();
  await withProgress(`Loading the demo program: ${formatNumber(lines.length)} lines`, () => feedLines(lines, url, env));
}

/** Feeds what happened lately to the customers of the example app, unless an earlier start of today has fed it. */
export async function loadLately(url: string, database: DatabaseLocation): Promise<void> {
  const lines = latelyLines(APP_CUSTOMERS, new Date());
  // One request stores all lines, so one of them stands for all.
  const coupon = lines.find(({ record }) => record === "customer_coupon");
  const query = `SELECT 1 FROM customer_coupons
    WHERE id = '${coupon?.id}' AND expected_end_date = '${coupon?.expected_end_date}'`;
  const [found = []] = await askDatabase([query], database);
  if (found.length === 0) await feedLines(lines, url, database.env);
}

async function feedLines(lines: readonly Line[], url: string, env: string): Promise<void> {
  const numbered = lines.map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
  await sendLines({ url, token: await devToken({ scope: "feed", accounts: "*" }, env) }, numbered);
}

function referenceIn(persistTo: string): string {
  return path.join(path.resolve(persistTo), "reference");
}

/** The open databases that hold locks. The garbage collector would close them, and so release the locks. */
const heldFolders: DatabaseSync[] = [];

/**
 * Locks the folder of a service's data until this process ends: two services on one database would each answer from
 * their own cache.
 * @throws a CommandError that names the service which has the lock.
 */
function holdFolder(folder: string, port: number): void {
  mkdirSync(folder, { recursive: true });
  const holder = new DatabaseSync(path.join(folder, "holder.sqlite"));
  try {
    holder.exec(`PRAGMA user_version = ${port}; BEGIN IMMEDIATE`);
  } catch (error) {
    if (!(error instanceof Error && /locked/.test(error.message))) throw error;
    const row = holder.prepare("PRAGMA user_version").get();
    throw new CommandError(
      `The data in ${folder} is in use by the service at http://127.0.0.1:${row?.user_version}. Use that one, or another folder: --persist-to DIR`,
    );
  }
  heldFolders.push(holder);
}

async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer();
  probe.listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
    throw new CommandError(`Port ${port} ${why}. Choose another: --port ${port + 1}`);
  }
  probe.close();
  await once(probe, "close");
}

async function migrate(env: string, persistTo: string): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", path.resolve(persistTo)];
  const { status, output } = await withProgress("Migrating the local database", () =>
    runWranglerFor(env, args, { place: "local", capture: true }),
  );
  if (status !== 0) throw new CommandError(`Wrangler could not migrate the local database.\n${output}`);
}

/** Lets D1's clock go on from a time, or without one from the real time. Tokens, boards and inboxes do not follow it. */
async function setClock(database: DatabaseLocation, now?: Date): Promise<void> {
  const [[clock] = []] = await askDatabase<{ sql: string }>([CLOCK], database);
  if (now === undefined && !clock?.sql.includes(MOVED)) return;
  const statements = readMigrations().flatMap((migration) => migration.statements);
  const [definition] = statements.flatMap((statement) => /^CREATE VIEW clock\b.*/ms.exec(statement) ?? []);
  if (definition === undefined) throw new Error("No migration makes the view clock.");
  const seconds = now && Math.round((now.getTime() - Date.now()) / 1_000);
  const moved = definition.replaceAll("'now'", `'now', '${seconds}${MOVED}`);
  await askDatabase(["DROP VIEW clock", seconds === undefined ? definition : moved], database);
}

const CLOCK = "SELECT sql FROM sqlite_schema WHERE name = 'clock'";
/** What only the view of a moved clock has. */
const MOVED = " seconds'";

/** Resolves with true once the server answers, with false if it has ended or does not answer within a minute. */
export async function isReady(url: string, server: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const onEnd = () => {
    hasEnded = true;
  };
  server.then(onEnd, onEnd);
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline && !hasEnded; await sleep(100)) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
