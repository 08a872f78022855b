import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import * as z from "zod";
import { ask, type Cloudflare } from "./cloudflare-api.ts";
import { settingsOf } from "./environments.ts";
import { CommandError, ROOT } from "./project.ts";
import { refuseTwoDeployments, runThroughWorker } from "./temporary-worker.ts";

const MIGRATIONS_TABLE = "d1_migrations";
// The table is like wrangler's own, so that `wrangler d1 migrations list` knows what is applied.
const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL,
  checksum TEXT)`;
const FOLDER = path.join(ROOT, "migrations");

const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ results: z.array(row) });
const Answers = z.tuple([
  z.unknown(),
  rowsOf(z.object({ sql: z.string() })),
  rowsOf(z.object({ name: z.string(), checksum: z.string().nullable().default(null) })),
]);

interface Migration {
  name: string;
  statements: readonly string[];
  /** The SHA-256 of the file. */
  checksum: string;
}

/**
 * Migrates a deployed database. Each migration is one transaction with its row in `d1_migrations`, so that it is applied
 * whole or not at all. `wrangler d1 migrations apply` would send a file as one text: D1 may cut the text within a
 * trigger, and may apply a part of it.
 * @throws a CommandError if a newer version has migrated the database, unless `isOlder`.
 */
export async function migrate(
  cloudflare: Cloudflare,
  { env, databaseId, isOlder = false }: { env: string; databaseId: string; isOlder?: boolean },
): Promise<void> {
  const { worker } = settingsOf(env);
  const migrations = readMigrations();
  const findNew = async () => {
    const applied = await readApplied(cloudflare, databaseId, migrations);
    refuseChanged(env, migrations, applied);
    if (!isOlder) refuseNewer(env, migrations, applied);
    return migrations.filter(({ name }) => !applied.has(name));
  };
  await refuseTwoDeployments(cloudflare, worker);
  const newMigrations = await findNew();
  if (newMigrations.length > 0)
    await runThroughWorker(cloudflare, { worker, databaseId }, async (run) => {
      // Another deployment may have applied some meanwhile.
      for (const { name, statements, checksum } of await findNew()) {
        console.error(`Applying ${name} …`);
        const row = `INSERT INTO ${MIGRATIONS_TABLE} (name, checksum) VALUES ('${name}', '${checksum}')`;
        await run([...statements, row]);
      }
    });
  console.error(`${newMigrations.length} of ${migrations.length} migrations were new.`);
}

/** The checksums of the applied migrations by their names; null for what wrangler has applied. */
async function readApplied(cloudflare: Cloudflare, databaseId: string, migrations: readonly Migration[]) {
  const query = <Schema extends z.ZodType>(schema: Schema, ...statements: string[]) =>
    ask(cloudflare, `POST /d1/database/${databaseId}/query`, schema, { sql: statements.join("; ") });
  const readDefinition = `SELECT sql FROM sqlite_schema WHERE name = '${MIGRATIONS_TABLE}'`;
  const readRows = `SELECT * FROM ${MIGRATIONS_TABLE}`;
  const [, tables, rows] = await query(Answers, CREATE_MIGRATIONS_TABLE, readDefinition, readRows);
  // Wrangler makes the table without checksums.
  if (!tables.results.some(({ sql }) => /\bchecksum\b/.test(sql)))
    await query(
      z.unknown(),
      `ALTER TABLE ${MIGRATIONS_TABLE} ADD COLUMN checksum TEXT`,
      ...migrations.map(
        ({ name, checksum }) => `UPDATE ${MIGRATIONS_TABLE} SET checksum = '${checksum}' WHERE name = '${name}'`,
      ),
    );
  return new Map(rows.results.map(({ name, checksum }) => [name, checksum]));
}

type Applied = Awaited<ReturnType<typeof readApplied>>;

function refuseChanged(env: string, migrations: readonly Migration[], applied: Applied): void {
  const changed = migrations.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed.length > 0)
    throw new CommandError(`These files are not those that the database of ${env} was migrated with: ${changed.map(({ name }) => name).join(", ")}.
A migration never changes. Bring the files of the release back, and write what is new into a migration of its own.`);
}

function refuseNewer(env: string, migrations: readonly Migration[], applied: Applied): void {
  const unknown = [...applied.keys()].filter((name) => migrations.every((migration) => migration.name !== name));
  if (unknown.length > 0)
    throw new CommandError(`The database of ${env} has migrations that this version does not know: ${unknown.join(", ")}.
So a newer version was deployed. Take it (git fetch --tags), or go back to this version: docs/deploying.md, Rolling back.`);
}

export function readMigrations(): Migration[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => {
    const text = readFileSync(path.join(FOLDER, name), "utf8");
    return { name, statements: splitSqlQuery(text), checksum: createHash("sha256").update(text).digest("hex") };
  });
}
