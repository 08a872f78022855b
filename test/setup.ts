import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Cache } from "../src/cache/cache.ts";
import { bindingName, DEFAULT_PROGRAM, listPrograms } from "../src/programs/programs.ts";
import { setVariables } from "./support/test-programs.ts";

await backgroundWorkHasEnded();

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

/**
 * Work in the background shows messages a second after they were fed. What outlives its file would run into the clock
 * that the next one stops; what waits for a stopped clock itself is not waited for.
 */
async function backgroundWorkHasEnded(): Promise<void> {
  const running = countBackgroundWork();
  for (let attempts = 0; running.count > 0 && attempts < 100; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  running.count = 0;
}

function countBackgroundWork(): { count: number } {
  const counting = Cache.prototype as Cache & { running?: { count: number } };
  if (counting.running !== undefined) return counting.running;
  const running = { count: 0 };
  counting.running = running;
  const { inBackground } = counting;
  counting.inBackground = function (work) {
    running.count += 1;
    const ended = () => {
      running.count -= 1;
    };
    work.then(ended, ended);
    inBackground.call(this, work);
  };
  return running;
}
