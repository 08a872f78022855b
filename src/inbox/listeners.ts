import { desc, eq, inArray, lt, sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../db/compile.ts";
import type { Database } from "../db/database.ts";
import { atMost, named, query } from "../db/query.ts";
import { fromNow, NOW } from "../db/select.ts";
import { listeners } from "../db/tables.ts";
import { customerKeyOf } from "../records/customer.ts";
import { messageGroupNews } from "../records/message-group.ts";
import { programState } from "../records/program.ts";
import { UNSHOWN } from "./message-clock.ts";
import type { Subscription } from "./protocol.ts";

/**
 * A customer listens for a day. A subscription holds for an hour, and renews the day if less than two hours are left: the
 * second hour is for clocks that differ, and for sockets whose next renewal fails.
 */
const listen = compileOnce("inbox/listen", (placeholder: PlaceholderOf<"customerId">) => {
  const until = fromNow("+24 hours");
  return query
    .insert(listeners)
    .values({ customer_id: placeholder("customerId"), until })
    .onConflictDoUpdate({
      target: listeners.customer_id,
      set: { until },
      setWhere: lt(listeners.until, fromNow("+2 hours")),
    });
});

/**
 * Makes the customer a listener. `unshown` is set if their newest message is not shown yet: its feed request may have notified
 * nobody. `db` must be at the primary. `at`: the present time.
 */
export async function beginListening(db: Database, customerId: string, at: number) {
  const [, [row]] = await db.batch([listen({ customerId }), selectNewest({ customerId })]);
  if (row === undefined) throw new Error("The database has no message clock.");
  const { newestAt, isOpen, ...unshown } = row;
  const isUnshown = isOpen === 1 && newestAt >= unshown.stamp;
  const subscription: Subscription = { newestAt, bookmark: db.bookmark ?? "", at };
  return { subscription, unshown: isUnshown ? unshown : null };
}

/** The time of the customer's newest message, empty if there is none, and the columns of `UNSHOWN`. */
const selectNewest = compileOnce("inbox/newest-message", (placeholder: PlaceholderOf<"customerId">) => {
  const newest = query
    .select({ newest_at: messageGroupNews.newest_at })
    .from(messageGroupNews)
    .where(eq(messageGroupNews.customer_key, customerKeyOf(placeholder("customerId"))))
    .orderBy(desc(messageGroupNews.newest_at))
    .limit(atMost(1));
  return query
    .select({ newestAt: sql<string>`coalesce(${newest}, '')`, isOpen: programState.is_open, ...UNSHOWN })
    .from(programState);
});

const LISTENERS_AT_ONCE = 10_000;

const deleteFormer = compileOnce("inbox/former-listeners", () => {
  const id = { customer_id: listeners.customer_id };
  const former = query.select(id).from(listeners).where(lt(listeners.until, NOW)).limit(atMost(LISTENERS_AT_ONCE));
  return query.delete(listeners).where(inArray(listeners.customer_id, former)).returning(named(id));
});

/** Removes customers who have not listened for a day. `isDone`: none are left. */
export async function removeFormerListeners(db: Database): Promise<{ removed: number; isDone: boolean }> {
  const { former } = await db.write({ former: [deleteFormer()] });
  return { removed: former.length, isDone: former.length < LISTENERS_AT_ONCE };
}
