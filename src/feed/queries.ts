import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { names, returning } from "../db/select.ts";
import { programState } from "../db/tables.ts";
import { selectUnshown, toUnshown } from "../inbox/message-clock.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import { selectChanges, toChanges } from "../inbox/outbox.ts";
import { refuseFaults, refuseForeign, refuseLargeGroups, refuseSealed, refuseUnrestorable } from "./records/checks.ts";
import type { Batch } from "./records/kind.ts";
import { message } from "./records/message.ts";
import { messageGroup } from "./records/message-group.ts";
import { collectFreshEvents, freshEvents, remove, write } from "./records/statements.ts";
import { refusalOf } from "./refusals.ts";

interface FeedRequest {
  /** In the order in which kinds refer to each other. */
  batches: readonly Batch[];
  /** The accounts that its token covers. */
  accounts: readonly string[] | "*";
  restores: boolean;
  /** How many ids the lists of its lines have together. */
  items: number;
}

/**
 * Applies a request in one transaction and one round trip. A check that finds a bad line aborts the transaction. `ignored`:
 * how many events were stored already, and how many deletes found no record; `version`: how many requests have been committed.
 * @throws the failures 413, 422 and 403.
 */
export async function applyFeed(
  db: Database,
  { batches, accounts, restores, items }: FeedRequest,
): Promise<{ ignored: number; version: number; forListeners: FeedChanges }> {
  const states = batches.filter(({ kind }) => kind.type === "state");
  const events = batches.filter(({ kind }) => kind.type === "event");
  const newEvents = events.filter(({ writes }) => writes.length > 0);
  const checks = refuseFaults(batches);
  // A member who is added to a group also sees the messages of earlier requests.
  const mayHaveUnshown = !restores && batches.some(({ kind }) => kind === message || kind === messageGroup);
  const fresh = newEvents.flatMap(({ kind, writes }) => collectFreshEvents(kind, writes));
  try {
    // Accounts are checked before references, so that a request with both faults gets 403. They are checked before the
    // deletes, because a removed record no longer says whose it was.
    const { counted, removed, inserted, emptied, changed, unshown } = await db.steps({
      counted: [countFeed(restores)],
      unrestorable: restores ? [refuseUnrestorable()] : [],
      // Before the upserts, because it counts the members that groups had before the request.
      tooManyItems: restores ? [] : refuseLargeGroups(batches, items),
      // A line that is too old is a bad line, which is refused before accounts are checked.
      sealed: restores ? [] : refuseSealed(batches),
      upserts: states.flatMap(({ kind, rowChunks }) => write(kind, rowChunks)),
      foreign: refuseForeign(batches, accounts),
      // In reverse order: if a record went first, triggers would delete the rows that refer to it, and their own lines would
      // count as ignored.
      removed: states.toReversed().flatMap(({ kind, deletes }) => remove(kind, deletes)),
      fresh,
      checks: checks.statements,
      // Without the hint MATERIALIZED, so that SQLite extracts from the JSON only the values that a total reads.
      upkeep: newEvents.flatMap(({ kind, writes }) => {
        const withFresh = sql`WITH ${freshEvents(kind, writes, "")}`;
        return (kind.upkeep ?? []).map((addTo) => addTo(withFresh));
      }),
      inserted: newEvents.flatMap(({ kind, rowChunks }) => write(kind, rowChunks)),
      emptied: events.flatMap(({ kind, deletes }) => remove(kind, deletes)),
      dropped: fresh.length > 0 ? [sql`DELETE FROM fresh_events`] : [],
      changed: [selectChanges()],
      unshown: mayHaveUnshown ? [selectUnshown()] : [],
    });
    const deletesWithoutRecord = countLines(states, "deletes") - removed.length;
    const repeatedEvents = countLines(events, "all") - inserted.length - emptied.length;
    return {
      ignored: deletesWithoutRecord + repeatedEvents,
      version: Number(counted[0]?.version),
      forListeners: { changes: toChanges(changed), unshown: unshown[0] === undefined ? null : toUnshown(unshown[0]) },
    };
  } catch (error) {
    throw refusalOf(error, { faults: checks.faults, batches });
  }
}

/**
 * Counts the request. This comes first in the transaction, because triggers read `version` and `restorable` when they write
 * to the outbox. After a request that is no restore, no more restores are taken.
 */
function countFeed(restores: boolean) {
  const { version, restorable } = programState;
  const isLive = restores ? sql`` : sql`, ${names(restorable)} = 0`;
  return returning(sql`UPDATE ${programState} SET ${names(version)} = ${version} + 1 ${isLive}`, { version });
}

function countLines(batches: readonly Batch[], which: "all" | "deletes"): number {
  return batches.reduce((sum, batch) => sum + batch[which].length, 0);
}
