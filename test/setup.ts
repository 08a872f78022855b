import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { bindingName, DEFAULT_PROGRAM, listPrograms } from "../src/programs/programs.ts";
import { setVariables } from "./support/test-programs.ts";

// A database that is still at work when it is to be removed stays, so this looks whether it is gone.
for (let attempts = 1; attempts === 1 || (await holdsTables()); attempts += 1) {
  if (attempts > 100) throw new Error("The database of the test file before could not be removed.");
  await reset();
}

// The tests are of a deployment with the default program, whichever others wrangler.toml has.
for (const { name } of listPrograms(env))
  if (name !== DEFAULT_PROGRAM) setVariables({ [bindingName("DB", name)]: undefined });

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

async function holdsTables(): Promise<boolean> {
  return (await env.DB.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'accounts'").first()) !== null;
}
