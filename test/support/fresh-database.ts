import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setClock } from "./clock.ts";
import { createPublicViews } from "./public-views.ts";

/** Puts an empty database in the place of the test's, at a second of the clock. */
export async function freshDatabase(now: string): Promise<void> {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await createPublicViews();
  await setClock(now);
}
