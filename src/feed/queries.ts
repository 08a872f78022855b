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
  /** Whether it restores an export. */
  restores: boolean;
  /** How many ids its lists have together. */
  items: number;
}

/**
 * Applies a request in one transaction and one round trip: upserts, deletes, checks, and events with their totals. A check
 * that finds a bad line aborts the transaction. `ignored`: events already stored, and deletes of records that were not there;
 * `version`: the number of requests that have been committed.
 * @throws the failures 413, 422 and 403.
 */
export async function applyFeed(
  db: Database,
  { batches, accounts, restores, items }: FeedRequest,
): Promise<{ ignored: number; version: number; forListeners: FeedChanges }> {
  const states = batches.filter(({ kind }) => kind.type === "state");
  const ofEvents = batches.filter(({ kind }) => kind.type === "event");
  const events = ofEvents.filter(({ writes }) => writes.length > 0);
  const checks = refuseFaults(batches);
  // Messages of an earlier request concern the members that this one adds to their group.
  const mayHaveUnshown = !restores && batches.some(({ kind }) => kind === message || kind === messageGroup);
  const fresh = events.flatMap(({ kind, writes }) => collectFreshEvents(kind, writes));
  try {
    // Accounts are checked before references, so that a request with both faults answers 403; and before the deletes,
    // because a removed record no longer says whose it was.
    const { counted, removed, inserted, emptied, changed, unshown } = await db.steps({
      counted: [countFeed(restores)],
      unrestorable: restores ? [refuseUnrestorable()] : [],
      // Before anything is written, because it counts the members that a group has before the request.
      tooManyItems: restores ? [] : refuseLargeGroups(batches, items),
      // Bad fields are refused before accounts are checked.
      sealed: restores ? [] : refuseSealed(batches),
      upserts: states.flatMap(({ kind, rowChunks }) => write(kind, rowChunks)),
      foreign: refuseForeign(batches, accounts),
      // A record that refers to others is deleted before these, so that no delete takes away what another has to count.
      removed: states.toReversed().flatMap(({ kind, deletes }) => remove(kind, deletes)),
      fresh,
      checks: checks.statements,
      // Not materialized, so that SQLite takes only the values that a total reads out of the JSON.
      upkeep: events.flatMap(({ kind, writes }) => {
        const withFresh = sql`WITH ${freshEvents(kind, writes, "")}`;
        return (kind.upkeep ?? []).map((addTo) => addTo(withFresh));
      }),
      inserted: events.flatMap(({ kind, rowChunks }) => write(kind, rowChunks)),
      emptied: ofEvents.flatMap(({ kind, deletes }) => remove(kind, deletes)),
      dropped: fresh.length > 0 ? [sql`DELETE FROM fresh_events`] : [],
      changed: [selectChanges()],
      unshown: mayHaveUnshown ? [selectUnshown()] : [],
    });
    const nothingToDelete = countLines(states, "deletes") - removed.length;
    const repeated = countLines(ofEvents, "all") - inserted.length - emptied.length;
    return {
      ignored: nothingToDelete + repeated,
      version: Number(counted[0]?.version),
      forListeners: { changes: toChanges(changed), unshown: unshown[0] === undefined ? null : toUnshown(unshown[0]) },
    };
  } catch (error) {
    throw refusalOf(error, { faults: checks.faults, batches });
  }
}

/**
 * Counts a feed request that commits. It comes first in its transaction, because the outbox reads both columns. Once a
 * request was no restore, no more restores are taken.
 */
function countFeed(restores: boolean) {
  const { version, restorable } = programState;
  const isLive = restores ? sql`` : sql`, ${names(restorable)} = 0`;
  return returning(sql`UPDATE ${programState} SET ${names(version)} = ${version} + 1 ${isLive}`, { version });
}

function countLines(batches: readonly Batch[], which: "all" | "deletes"): number {
  return batches.reduce((sum, batch) => sum + batch[which].length, 0);
}
