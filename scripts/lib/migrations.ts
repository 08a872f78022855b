import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import * as z from "zod";
import { ask, type Cloudflare } from "./cloudflare-api.ts";
import { configOf, databaseName } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { runThroughWorker } from "./temporary-worker.ts";

const LEDGER = "d1_migrations";
// The table has wrangler's shape, so that `wrangler d1 migrations list` knows what is applied.
const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;
const FOLDER = path.join(ROOT, "migrations");

const Answers = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));

/**
 * Migrates a deployed database. Each migration is one transaction with its row in the ledger, so it is applied whole or
 * not at all. `wrangler d1 migrations apply` would send a file as one text: D1 may cut the text within a trigger, and may
 * apply a part of it.
 * @throws a CommandError that says how far the database is migrated.
 */
export async function migrate(cloudflare: Cloudflare, env: string, databaseId: string): Promise<void> {
  const migrations = readMigrations();
  const applied = await namesOfApplied(cloudflare, databaseId);
  const pending = migrations.filter(({ name }) => !applied.has(name));
  let done = 0;
  try {
    if (pending.length > 0)
      await runThroughWorker(cloudflare, `${configOf(env).name}-migrations`, databaseId, async (run) => {
        for (const { name, statements } of pending) {
          await run([CREATE_LEDGER, ...statements, `INSERT INTO ${LEDGER} (name) VALUES ('${name}')`]);
          done += 1;
        }
      });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`The migration of ${databaseName(env)} failed, so nothing was deployed. ${error.message}
${migrations.length - pending.length + done} of ${migrations.length} migrations are applied; the next is ${pending[done]?.name}.
The Worker that ran before goes on. Remove the cause, then run the same command again.`);
  }
  console.error(`${pending.length} of ${migrations.length} migrations were new.`);
}

async function namesOfApplied(cloudflare: Cloudflare, databaseId: string): Promise<Set<string>> {
  const query = async (sql: string) => {
    const [answer] = Answers.parse(await ask(cloudflare, "POST", `/d1/database/${databaseId}/query`, { sql }));
    return answer?.results.map(({ name }) => name) ?? [];
  };
  const [ledger] = await query(`SELECT name FROM sqlite_schema WHERE name = '${LEDGER}'`);
  return new Set(ledger === undefined ? [] : await query(`SELECT name FROM ${LEDGER}`));
}

export function readMigrations(): { name: string; statements: readonly string[] }[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  return names
    .sort()
    .map((name) => ({ name, statements: splitSqlQuery(readFileSync(path.join(FOLDER, name), "utf8")) }));
}
