import { readdirSync } from "node:fs";
import path from "node:path";
import { askDatabase } from "./database.ts";
import { environmentFlag } from "./options.ts";
import type { ConfiguredProgram } from "./program-config.ts";
import { ROOT } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

/** What tells wrangler to migrate a deployed database. */
export function migrationArgs({ binding }: ConfiguredProgram, env: string): string[] {
  return ["d1", "migrations", "apply", binding, "--remote", environmentFlag(env)];
}

/**
 * Migrates a deployed database; false if a migration failed. Wrangler sends each migration as one transaction with its
 * row in d1_migrations, so none is ever applied by half, or twice.
 *
 * Whoever deploys has said yes to migrations: with nobody to answer, wrangler does not ask again, where no would go on to
 * deploy without them.
 */
export async function migrate(program: ConfiguredProgram, env: string): Promise<boolean> {
  const { status } = await runWrangler(migrationArgs(program, env), { reads: "nobody" });
  return status === 0;
}

/** A line that says how far a deployed database is migrated, and what comes next. */
export async function migrationState({ name, databaseName }: ConfiguredProgram, env: string): Promise<string> {
  const files = readdirSync(path.join(ROOT, "migrations"))
    .filter((file) => file.endsWith(".sql"))
    .sort();
  try {
    const query = "SELECT name FROM d1_migrations ORDER BY id";
    const [rows = []] = await askDatabase<{ name: string }>([query], { remote: true, env, program: name });
    const applied = new Set(rows.map((row) => row.name));
    const next = files.find((file) => !applied.has(file));
    const count = files.filter((file) => applied.has(file)).length;
    const rest = next === undefined ? "" : `; next is ${next}, of which nothing was applied`;
    return `${databaseName}: ${count} of ${files.length} migrations${rest}`;
  } catch (error) {
    return `${databaseName}: cannot be asked now (${error instanceof Error ? error.message : error})`;
  }
}
