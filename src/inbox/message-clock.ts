import { sql } from "drizzle-orm";
import type { Database, RowOf } from "../db/database.ts";
import { columnNames, select } from "../db/select.ts";
import { NEXT_STAMP, programState } from "../records/program.ts";
import { clock } from "../values/clock.ts";
import { withTimeout } from "../values/timeout.ts";

/** How many milliseconds remain of the second of unshown messages, by D1's clock; 0 if there are none. */
const MESSAGE_WAIT = sql<number>`coalesce((
  SELECT max(0, (unixepoch(${programState.clock_said}) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond)
  FROM clock CROSS JOIN ${programState} WHERE ${programState.is_open} = 1
), 0)`;

/** The time that unshown messages share, and how long their second still lasts. */
export const UNSHOWN = { stamp: programState.stamp, waitMs: MESSAGE_WAIT };

/** The unshown messages, in the transaction of a feed request that stores some. */
export const selectUnshown = () => select(UNSHOWN, sql`FROM ${programState} WHERE ${programState.is_open} = 1`);

/** Stored messages that nobody sees yet. They become visible when the stamp of the program passes theirs. */
export type UnshownMessages = RowOf<ReturnType<typeof selectUnshown>>;

/** Whether messages are unshown although their second is over. */
export const IS_SHOWING_DUE = sql`${programState.is_open} = 1 AND ${programState.clock_said} <> clock.now`;

/** The last stamp: messages before it are shown. */
export const selectStamp = () => select({ stamp: programState.stamp }, sql`FROM ${programState}`);

// When the Worker's timer ends, the second may not quite be over by D1's clock.
const SHOWN_AFTER_MS = 20;
const SHOW_AGAIN_MS = 100;
const SHOW_WITHIN_MS = 5_000;

/** Shows messages once their second is over. A read at the bookmark shows them. @throws if this takes five seconds. */
export async function showOnceOver(db: Database, { stamp, waitMs }: UnshownMessages): Promise<string> {
  const endsAt = performance.now() + SHOW_WITHIN_MS;
  for (let pauseMs = waitMs + SHOWN_AFTER_MS; ; pauseMs = SHOW_AGAIN_MS) {
    await clock.pause(pauseMs);
    const session = db.newPrimarySession();
    const lastStamp = await withTimeout(endsAt - performance.now(), showMessages(session));
    if (lastStamp > stamp) return session.bookmark ?? "";
  }
}

/**
 * Takes the stamp that shows unshown messages if their second is over. Resolves with the last stamp. Workers, sockets and the
 * schedule may do this at once: the first wins, and the others find nothing to do. A feed request that the primary takes before
 * it has its messages shown by this stamp; one after it opens a second of its own.
 */
export async function showMessages(db: Database): Promise<string> {
  const { stamp, clock_said, is_open } = programState;
  const [, [last]] = await db.batch([
    sql`UPDATE ${programState} SET ${columnNames(stamp)} = ${NEXT_STAMP},
        ${columnNames(clock_said)} = clock.now, ${columnNames(is_open)} = 0
      FROM clock WHERE ${IS_SHOWING_DUE}`,
    selectStamp(),
  ]);
  return last?.stamp ?? "";
}
