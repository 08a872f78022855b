import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setClock } from "./clock.ts";

/** Empties the database, and stops D1's clock. */
export async function freshDatabase(now: string): Promise<void> {
  await emptyDatabase();
  await setClock(now);
}

/** Empties the database. `reset` leaves a database that is at work, so it is repeated until all data are gone. */
export async function emptyDatabase(): Promise<void> {
  await reset();
  for (let attempts = 1; await holdsData(); attempts += 1) {
    if (attempts >= 100) throw new Error("The database of the test before could not be removed.");
    await reset();
  }
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
}

async function holdsData(): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").first()) !== null;
}
