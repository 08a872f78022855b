import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { names, select } from "../db/select.ts";
import { programState } from "../db/tables.ts";

/** Stored messages that nobody sees yet. They become visible when the stamp of the program passes theirs. */
export interface UnshownMessages {
  /** The time that they share. */
  stamp: string;
  /** When their second is over, so that they can be shown, in milliseconds since 1970 by this Worker's clock. */
  shownAt: number;
}

/** Adds `waitMs` to the current time, so call it as soon as D1 has answered. */
export function toUnshown({ stamp, waitMs }: { stamp: string; waitMs: number }): UnshownMessages {
  return { stamp, shownAt: Date.now() + waitMs };
}

/** How many milliseconds remain of the second of unshown messages, by D1's clock; 0 if there are none. */
const MESSAGE_WAIT = sql<number>`coalesce((
  SELECT max(0, (unixepoch(${programState.clock_said}) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond)
  FROM clock CROSS JOIN ${programState} WHERE ${programState.is_open} = 1
), 0)`;

/** The columns that `toUnshown` takes. */
export const UNSHOWN = { stamp: programState.stamp, waitMs: MESSAGE_WAIT };

/** The unshown messages, in the transaction of a feed request that stores some. */
export const selectUnshown = () => select(UNSHOWN, sql`FROM ${programState} WHERE ${programState.is_open} = 1`);

/** The stamp after the last one. It never goes back, even if D1's clock does. */
export const NEXT_STAMP = sql.raw("max(clock.now, datetime(stamp, '+1 second'))");

/** Whether messages are unshown although their second is over. */
export const IS_SHOWING_DUE = sql`${programState.is_open} = 1 AND ${programState.clock_said} <> clock.now`;

/** The last stamp: messages before it are shown. */
export const selectStamp = () => select({ stamp: programState.stamp }, sql`FROM ${programState}`);

/** Takes the stamp that shows unshown messages if their second is over. Resolves with the last stamp. */
export async function showMessages(db: Database): Promise<string> {
  const { stamp, clock_said, is_open } = programState;
  const [, [last]] = await db.batch([
    sql`UPDATE ${programState} SET ${names(stamp)} = ${NEXT_STAMP},
        ${names(clock_said)} = clock.now, ${names(is_open)} = 0
      FROM clock WHERE ${IS_SHOWING_DUE}`,
    selectStamp(),
  ]);
  return last?.stamp ?? "";
}
