import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setClock } from "./clock.ts";

/** Replaces the test's database by an empty one, stops its clock at a second, and empties the bucket. */
export async function freshDatabase(now: string): Promise<void> {
  await reset();
  await emptyBucket(env.TEST_HISTORY);
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await setClock(now);
}

/** On a busy machine `reset` leaves objects now and then. */
async function emptyBucket(bucket: R2Bucket): Promise<void> {
  const { objects } = await bucket.list();
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
}
