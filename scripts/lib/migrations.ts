import { readdirSync } from "node:fs";
import path from "node:path";
import { askDatabase } from "./database.ts";
import { databaseName, environmentFlag } from "./environments.ts";
import { ROOT } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

/** What tells wrangler to migrate a deployed database. */
export function migrationArgs(env: string): string[] {
  return ["d1", "migrations", "apply", "DB", "--remote", environmentFlag(env)];
}

/**
 * Migrates a deployed database; false if a migration failed. Wrangler sends each migration as one transaction with its
 * row in d1_migrations, so none is ever applied by half, or twice.
 *
 * Whoever deploys has said yes to migrations: with nobody to answer, wrangler does not ask again, where no would go on to
 * deploy without them.
 */
export async function migrate(env: string): Promise<boolean> {
  const { status } = await runWrangler(migrationArgs(env), { reads: "nobody" });
  return status === 0;
}

/** A line that says how far a deployed database is migrated, and what comes next. */
export async function migrationState(env: string): Promise<string> {
  const files = readdirSync(path.join(ROOT, "migrations"))
    .filter((file) => file.endsWith(".sql"))
    .sort();
  try {
    const query = "SELECT name FROM d1_migrations ORDER BY id";
    const [rows = []] = await askDatabase<{ name: string }>([query], { remote: true, env });
    const applied = new Set(rows.map((row) => row.name));
    const next = files.find((file) => !applied.has(file));
    const count = files.filter((file) => applied.has(file)).length;
    const rest = next === undefined ? "" : `; next is ${next}, of which nothing was applied`;
    return `${databaseName(env)}: ${count} of ${files.length} migrations${rest}`;
  } catch (error) {
    return `${databaseName(env)}: cannot be asked now (${error instanceof Error ? error.message : error})`;
  }
}
