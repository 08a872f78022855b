import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import * as z from "zod";
import { ask, type Cloudflare } from "./cloudflare-api.ts";
import { configOf } from "./environments.ts";
import { ROOT } from "./project.ts";
import { refuseTwoDeployments, runThroughWorker } from "./temporary-worker.ts";

const MIGRATIONS_TABLE = "d1_migrations";
// The table is like wrangler's own, so that `wrangler d1 migrations list` knows what is applied.
const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;
const FOLDER = path.join(ROOT, "migrations");

const Answers = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));

/**
 * Migrates a deployed database. Each migration is one transaction with its row in `d1_migrations`, so that it is applied
 * whole or not at all. `wrangler d1 migrations apply` would send a file as one text: D1 may cut the text within a
 * trigger, and may apply a part of it.
 */
export async function migrate(cloudflare: Cloudflare, env: string, databaseId: string): Promise<void> {
  const { name: worker = "" } = configOf(env);
  const migrations = readMigrations();
  const findNew = async () => {
    const appliedNames = await readAppliedNames(cloudflare, databaseId);
    return migrations.filter(({ name }) => !appliedNames.has(name));
  };
  await refuseTwoDeployments(cloudflare, worker);
  const newMigrations = await findNew();
  if (newMigrations.length > 0)
    await runThroughWorker(cloudflare, { worker, databaseId }, async (run) => {
      // Another deployment may have applied some meanwhile.
      for (const { name, statements } of await findNew()) {
        console.error(`Applying ${name} …`);
        await run([...statements, `INSERT INTO ${MIGRATIONS_TABLE} (name) VALUES ('${name}')`]);
      }
    });
  console.error(`${newMigrations.length} of ${migrations.length} migrations were new.`);
}

async function readAppliedNames(cloudflare: Cloudflare, databaseId: string): Promise<Set<string>> {
  const sql = `${CREATE_MIGRATIONS_TABLE}; SELECT name FROM ${MIGRATIONS_TABLE}`;
  const answers = await ask(cloudflare, `POST /d1/database/${databaseId}/query`, Answers, { sql });
  return new Set(answers.at(-1)?.results.map(({ name }) => name));
}

export function readMigrations(): { name: string; statements: readonly string[] }[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  return names
    .sort()
    .map((name) => ({ name, statements: splitSqlQuery(readFileSync(path.join(FOLDER, name), "utf8")) }));
}
