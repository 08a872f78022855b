import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database, type Value } from "../db/database.ts";
import { customerKeyOf } from "../db/rules.ts";
import { limitTo, NOW, names, select } from "../db/select.ts";
import { listeners, messageGroupNews, programState } from "../db/tables.ts";
import { toUnshown, UNSHOWN, type UnshownMessages } from "./message-clock.ts";

/**
 * A listener is one for a day. Subscriptions hold for an hour, so one that finds less than two left renews it: the second
 * is for clocks that differ, and for sockets whose next renewal fails.
 */
const LISTENS_HOURS = 24;
const RENEWED_BELOW_HOURS = 2;

const listen = compileOnce(
  (value: Value<"customerId">) => sql`
    INSERT INTO ${listeners} (${names(listeners.customer_id, listeners.until)})
    SELECT ${value("customerId")}, datetime(now, ${hours(LISTENS_HOURS)}) FROM clock WHERE true
    ON CONFLICT (${names(listeners.customer_id)}) DO UPDATE SET ${names(listeners.until)} = excluded.until
    WHERE ${listeners.until} < (SELECT datetime(now, ${hours(RENEWED_BELOW_HOURS)}) FROM clock)`,
);

function hours(count: number): SQL {
  return sql.raw(`'+${count} hours'`);
}

/**
 * Makes the customer a listener, and resolves with the time of their newest message, shown or not; empty: they have none.
 * And with messages that are not shown yet, if that is one of them: nobody may be notified of it. `db` must be at the
 * primary.
 */
export async function beginListening(
  db: Database,
  customerId: string,
): Promise<{ newestAt: string; unshown: UnshownMessages | null }> {
  const [, [read]] = await db.batch([listen({ customerId }), selectNewest({ customerId })]);
  if (read === undefined) throw new Error("The database has no message clock.");
  const { newestAt, isOpen, ...unshown } = read;
  return { newestAt, unshown: isOpen === 1 && newestAt >= unshown.stamp ? toUnshown(unshown) : null };
}

/** The time of the customer's newest message, shown or not, and what `UNSHOWN` says. */
const selectNewest = compileOnce((value: Value<"customerId">) =>
  select(
    {
      newestAt: sql<string>`coalesce((
        SELECT ${messageGroupNews.newest_at} FROM ${messageGroupNews}
        WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(value("customerId"))}
        ORDER BY ${messageGroupNews.newest_at} DESC LIMIT 1
      ), '')`,
      isOpen: programState.is_open,
      ...UNSHOWN,
    },
    sql`FROM ${programState}`,
  ),
);

const LISTENERS_AT_ONCE = 10_000;

/** Removes customers who have not listened for a day, and says how many, and whether these were all. */
export async function removeFormerListeners(db: Database): Promise<{ removed: number; isDone: boolean }> {
  const { former } = await db.steps({
    former: [
      sql`DELETE FROM ${listeners} WHERE ${listeners.customer_id} IN (
        SELECT ${listeners.customer_id} FROM ${listeners} WHERE ${listeners.until} < ${NOW} ${limitTo(LISTENERS_AT_ONCE)}
      ) RETURNING 1`,
    ],
  });
  return { removed: former.length, isDone: former.length < LISTENERS_AT_ONCE };
}
