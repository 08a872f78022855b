import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setClock } from "./clock.ts";

/** Empties the database and the bucket, and stops D1's clock. */
export async function freshDatabase(now: string): Promise<void> {
  await reset();
  await emptyBucket(env.TEST_HISTORY);
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  await setClock(now);
}

/** On a busy machine, `reset` sometimes leaves objects in the bucket. */
async function emptyBucket(bucket: R2Bucket): Promise<void> {
  const { objects } = await bucket.list();
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
}
