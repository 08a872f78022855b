import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// A database that is still at work when it is to be removed stays, so this looks whether it is gone.
for (let attempts = 1; attempts === 1 || (await holdsTables()); attempts += 1) {
  if (attempts > 100) throw new Error("The database of the test file before could not be removed.");
  await reset();
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

async function holdsTables(): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").first()) !== null;
}
