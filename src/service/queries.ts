import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";

/** Reads nothing, and so fails only when the database does not answer or is not migrated. */
export async function reachDatabase(db: Database): Promise<void> {
  await db.all(sql`SELECT now FROM clock`);
}
