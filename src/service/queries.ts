import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { names } from "../db/select.ts";
import { listeners } from "../db/tables/index.ts";

/** Reads nothing, and so fails only when the database does not answer or is not migrated. */
export async function reachDatabase(db: Database): Promise<void> {
  await db.all(sql`SELECT now FROM clock`);
}

/** A statement that reads a JSON text, as those of a feed do, and no table. */
export function countItems(text: string): SQL<{ items: number }> {
  return sql`SELECT count(*) AS items FROM json_each(${text})`;
}

/** Writes a mark into a row of this name. The row is a listener whose time is over: the daily job removes it too. */
export async function writeMark(db: Database, name: string, mark: string): Promise<void> {
  const { customer_id: customerId, until } = listeners;
  await db.steps({
    mark: [
      sql`INSERT INTO ${listeners} (${names(customerId, until)}) VALUES (${name}, ${`0 ${mark}`})
        ON CONFLICT (${names(customerId)}) DO UPDATE SET ${names(until)} = excluded.until`,
    ],
  });
}

/** The mark that this database has; undefined where it has none. */
export async function readMark(db: Database, name: string): Promise<string | undefined> {
  const [row] = await db.all(
    sql<{ mark: string }>`SELECT substr(${listeners.until}, 3) AS mark FROM ${listeners}
      WHERE ${listeners.customer_id} = ${name}`,
  );
  return row?.mark;
}

export async function removeMark(db: Database, name: string): Promise<void> {
  await db.steps({ mark: [sql`DELETE FROM ${listeners} WHERE ${listeners.customer_id} = ${name}`] });
}
