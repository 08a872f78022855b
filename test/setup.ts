import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

// A database that is still at work when it is to be removed stays, so this looks whether it is gone.
do await reset();
while (await holdsTables());

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

async function holdsTables(): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").first()) !== null;
}
