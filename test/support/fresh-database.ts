import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setClock } from "./clock.ts";
import { createPublicViews } from "./public-views.ts";

/** Puts an empty database in the place of the test's, at a second of the clock, and empties the bucket. */
export async function freshDatabase(now: string): Promise<void> {
  await reset();
  // On a busy machine `reset` leaves objects now and then.
  const { objects } = await env.TEST_HISTORY.list();
  if (objects.length > 0) await env.TEST_HISTORY.delete(objects.map(({ key }) => key));
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await createPublicViews();
  await setClock(now);
}
