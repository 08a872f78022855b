import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database, type Value } from "../db/database.ts";
import { customerKeyOf } from "../db/rules.ts";
import { limitTo, NOW, names, select } from "../db/select.ts";
import { listeners, messageClock, messageGroupNews } from "../db/tables/index.ts";

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
 * Makes the customer a listener, at the primary, and resolves with the time of their newest message, shown or not; empty:
 * they have none. And with messages that are not shown yet, if that is one of them: nobody may be notified of it.
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

/** Messages that are stored, but not shown before a later stamp is taken. */
export interface UnshownMessages {
  stamp: string;
  /** When their second is over, and that stamp can be taken: in milliseconds since 1970 by this Worker's clock. */
  shownAt: number;
}

/** Right after D1 has answered. */
export function toUnshown({ stamp, waitMs }: { stamp: string; waitMs: number }): UnshownMessages {
  return { stamp, shownAt: Date.now() + waitMs };
}

/** How many milliseconds remain of the second of messages that are not shown, by D1's clock; 0 where there are none. */
const MESSAGE_WAIT = sql<number>`coalesce((
  SELECT max(0, (unixepoch(${messageClock.clock_said}) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond)
  FROM clock CROSS JOIN ${messageClock} WHERE ${messageClock.is_open} = 1
), 0)`;

const UNSHOWN = { stamp: messageClock.stamp, waitMs: MESSAGE_WAIT };

/** The messages that are not shown, in the transaction of a feed request that stores some. */
export const selectUnshown = () => select(UNSHOWN, sql`FROM ${messageClock} WHERE ${messageClock.is_open} = 1`);

/** Whether there are messages that are not shown though their second is over. */
export const IS_SHOWING_DUE = sql`${messageClock.is_open} = 1 AND ${messageClock.clock_said} <> clock.now`;

/**
 * Takes the stamp that shows the messages of the last one, once their second is over. Resolves with the last stamp then:
 * messages before it are shown.
 */
export async function showMessages(db: Database): Promise<string> {
  const { stamp, clock_said, is_open } = messageClock;
  const [, [last]] = await db.batch([
    sql`UPDATE ${messageClock} SET ${names(stamp)} = max(clock.now, datetime(${stamp}, '+1 second')),
        ${names(clock_said)} = clock.now, ${names(is_open)} = 0
      FROM clock WHERE ${IS_SHOWING_DUE}`,
    select({ stamp }, sql`FROM ${messageClock}`),
  ]);
  return last?.stamp ?? "";
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
      isOpen: messageClock.is_open,
      ...UNSHOWN,
    },
    sql`FROM ${messageClock}`,
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
