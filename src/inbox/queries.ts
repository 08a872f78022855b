import { sql } from "drizzle-orm";
import { names, returning } from "../db/select.ts";
import { feedVersion } from "../db/tables/index.ts";

/**
 * Counts a feed request that commits. It comes first in its transaction, because the outbox takes the version, and whether
 * this is a restore. Once one was none, no more restores are taken.
 */
export function countFeed(restores: boolean) {
  const { version, restorable } = feedVersion;
  const isLive = restores ? sql`` : sql`, ${names(restorable)} = 0`;
  return returning(sql`UPDATE ${feedVersion} SET ${names(version)} = ${version} + 1 ${isLive}`, { version });
}
