import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../db/compile.ts";
import type { Database } from "../db/database.ts";
import { customerKeyOf } from "../db/rules.ts";
import { limitTo, NOW, names, select } from "../db/select.ts";
import { listeners, messageGroupNews, programState } from "../db/tables.ts";
import { UNSHOWN, type UnshownMessages } from "./message-clock.ts";
import type { Subscription } from "./protocol.ts";

/**
 * A customer listens for a day. A subscription holds for an hour, and renews the day if less than two hours are left: the
 * second hour is for clocks that differ, and for sockets whose next renewal fails.
 */
const listen = compileOnce(
  "inbox/listen",
  (placeholder: PlaceholderOf<"customerId">) => sql`
    INSERT INTO ${listeners} (${names(listeners.customer_id, listeners.until)})
    SELECT ${placeholder("customerId")}, datetime(now, '+24 hours') FROM clock WHERE true
    ON CONFLICT (${names(listeners.customer_id)}) DO UPDATE SET ${names(listeners.until)} = excluded.until
    WHERE ${listeners.until} < (SELECT datetime(now, '+2 hours') FROM clock)`,
);

/**
 * Makes the customer a listener. `unshown` is set if their newest message is not shown yet: its feed request may have notified
 * nobody. `db` must be at the primary. `at`: the present time.
 */
export async function beginListening(
  db: Database,
  customerId: string,
  at: number,
): Promise<{ subscription: Subscription; unshown: UnshownMessages | null }> {
  const [, [row]] = await db.batch([listen({ customerId }), selectNewest({ customerId })]);
  if (row === undefined) throw new Error("The database has no message clock.");
  const { newestAt, isOpen, ...unshown } = row;
  const isUnshown = isOpen === 1 && newestAt >= unshown.stamp;
  return { subscription: { newestAt, bookmark: db.bookmark ?? "", at }, unshown: isUnshown ? unshown : null };
}

/** The time of the customer's newest message, empty if there is none, and the columns of `UNSHOWN`. */
const selectNewest = compileOnce("inbox/newest-message", (placeholder: PlaceholderOf<"customerId">) =>
  select(
    {
      newestAt: sql<string>`coalesce((
        SELECT ${messageGroupNews.newest_at} FROM ${messageGroupNews}
        WHERE ${messageGroupNews.customer_key} = ${customerKeyOf(placeholder("customerId"))}
        ORDER BY ${messageGroupNews.newest_at} DESC LIMIT 1
      ), '')`,
      isOpen: programState.is_open,
      ...UNSHOWN,
    },
    sql`FROM ${programState}`,
  ),
);

const LISTENERS_AT_ONCE = 10_000;

/** Removes customers who have not listened for a day. `isDone`: none are left. */
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
