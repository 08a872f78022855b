import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { ask, type Cloudflare, waitedForCalls } from "./cloudflare-api.ts";
import { runThroughWorker } from "./database-worker.ts";
import { deployConfig, writeMigrations } from "./deploy-files.ts";
import { configOf, databaseName, environmentFlag } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { missingStatements, statementsOf } from "./sql-statements.ts";
import { runWrangler } from "./wrangler.ts";

const LEDGER = "d1_migrations";
const FOLDER = path.join(ROOT, "migrations");

/** What D1 says where its splitter has cut a statement. */
const SPLIT_WRONGLY =
  /incomplete input|syntax error|unrecognized token|only one statement|did not contain a statement/i;

const Answers = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));
const Names = z.array(z.object({ name: z.string(), sql: z.string().nullish() }));

interface Migration {
  name: string;
  statements: readonly string[];
}

interface Plan {
  /** All migrations. Of one that is not applied, the statements that the database lacks. */
  migrations: readonly Migration[];
  pending: readonly Migration[];
}

/**
 * Migrates a deployed database, and goes on where an earlier attempt stopped: it is not known whether D1 undoes a file
 * that fails.
 * @throws a CommandError that says how far the database is migrated.
 */
export async function migrate(cloudflare: Cloudflare, env: string, databaseId: string): Promise<void> {
  const args = ["d1", "migrations", "apply", "DB", "--remote", environmentFlag(env), "--config", deployConfig(env)];
  try {
    const { migrations, pending } = await planFor(cloudflare, databaseId);
    writeMigrations(env, migrations);
    const { status, output } = await patiently(cloudflare, () => runWrangler(args, { capture: true }));
    if (status === 0) {
      console.error(`${pending.length} of ${migrations.length} migrations were new.`);
      return;
    }
    console.error(output);
    if (!SPLIT_WRONGLY.test(output)) throw new CommandError("See wrangler's output above.");
    console.error("D1 could not read a file of statements. They go one by one, through a temporary Worker …");
    await runThroughWorker(cloudflare, `${configOf(env).name}-migrations`, databaseId, async (run) => {
      for (const { name, statements } of (await planFor(cloudflare, databaseId)).pending) {
        await run([...statements, `INSERT INTO ${LEDGER} (name) VALUES ('${name}')`]);
        console.error(`${name}: applied`);
      }
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`The migration of ${databaseName(env)} failed, so nothing was deployed. ${error.message}
  ${databaseName(env)}: ${await stateOf(cloudflare, databaseId)}
The Worker that ran before goes on. Remove the cause, then run the same command again: it goes on where it stopped.`);
  }
}

/** Runs wrangler, and again where it failed only because the API took no more calls. */
export async function patiently<Result extends { status: number }>(
  cloudflare: Cloudflare,
  run: () => Promise<Result>,
): Promise<Result> {
  const result = await run();
  return result.status !== 0 && (await waitedForCalls(cloudflare)) ? patiently(cloudflare, run) : result;
}

async function planFor(cloudflare: Cloudflare, databaseId: string): Promise<Plan> {
  const query = async (sql: string) => {
    const [answer] = Answers.parse(await ask(cloudflare, "POST", `/d1/database/${databaseId}/query`, { sql }));
    return Names.parse(answer?.results);
  };
  const schema = new Map(
    (await query("SELECT name, sql FROM sqlite_schema")).map(({ name, sql }) => [name, sql ?? ""]),
  );
  const ledger = schema.has(LEDGER) ? await query(`SELECT name FROM ${LEDGER}`) : [];
  const applied = new Set(ledger.map(({ name }) => name));
  const migrations = readMigrations().map(({ name, statements }) => ({
    name,
    statements: applied.has(name) ? statements : missingStatements(statements, schema),
  }));
  return { migrations, pending: migrations.filter(({ name }) => !applied.has(name)) };
}

/** The migrations, in their order. */
export function readMigrations(): Migration[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  return names
    .sort()
    .map((name) => ({ name, statements: statementsOf(readFileSync(path.join(FOLDER, name), "utf8")) }));
}

async function stateOf(cloudflare: Cloudflare, databaseId: string): Promise<string> {
  try {
    const { migrations, pending } = await planFor(cloudflare, databaseId);
    const [next] = pending;
    const rest = next === undefined ? "" : `; next is ${next.name}, with ${next.statements.length} statements to run`;
    return `${migrations.length - pending.length} of ${migrations.length} migrations${rest}`;
  } catch (error) {
    return `cannot be asked now (${error instanceof Error ? error.message : error})`;
  }
}
