import { sql } from "drizzle-orm";
import type { FeedToken } from "../app-env.ts";
import type { Database } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { journal } from "../db/journal.ts";
import { named, query } from "../db/query.ts";
import { selectUnshown } from "../inbox/message-clock.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import { selectChanges, toChanges } from "../inbox/outbox.ts";
import { KINDS, RESTORED_KINDS } from "../records/index.ts";
import { message } from "../records/message.ts";
import { messageGroup } from "../records/message-group.ts";
import { programState } from "../records/program.ts";
import {
  refuseAhead,
  refuseFaults,
  refuseForeign,
  refuseLargeGroups,
  refuseTooOld,
  refuseUnrestorable,
} from "./apply/checks.ts";
import { collectFreshEvents, freshEvents, remove, upkeepOf, write } from "./apply/statements.ts";
import { findTooLarge } from "./apply/too-large.ts";
import { readBatches } from "./batches.ts";
import type { Batch } from "./kind.ts";
import { isTotalTooLarge, linesOfNoAccount, refusalOf, totalTooLarge } from "./refusals.ts";
import type { Accepted } from "./schema.ts";

/**
 * Takes a request whole or refuses it whole (docs/contract/feed.md, 1), in one transaction and one round trip. A check that
 * finds a bad line aborts the transaction. The primary runs one transaction at a time, so nobody else writes between a check
 * and what it checks: of two requests about one record, the later wins. `version`: how many requests have been committed.
 * @throws the failures 413 for too many lines or items or more than D1 can do, 422 for bad lines, and 403 for lines that
 * touch another account.
 */
export async function acceptFeed(
  db: Database,
  { body, token }: { body: Uint8Array; token: FeedToken },
  { journals = true } = {},
): Promise<{ answer: Accepted; version: number; forListeners: FeedChanges }> {
  const { accounts, restores } = token;
  const { batches, count, items, warnings } = readBatches(body, restores ? RESTORED_KINDS : KINDS);
  // Only a token for all accounts may write records of no account.
  const globalBatches = batches.filter(({ kind }) => kind.owner === undefined);
  if (accounts !== "*" && globalBatches.length > 0) throw linesOfNoAccount(globalBatches);

  const states = batches.filter(({ kind }) => kind.type === "state");
  const events = batches.filter(({ kind }) => kind.type === "event");
  const newEvents = events.filter(({ writes }) => writes.length > 0);
  const checks = refuseFaults(batches, accounts);
  // A member who is added to a group also sees the messages of earlier requests.
  const mayHaveUnshown = !restores && batches.some(({ kind }) => kind === message || kind === messageGroup);
  const fresh = newEvents.flatMap(({ kind, writes }) => collectFreshEvents(kind, writes));
  try {
    // Accounts are checked before references, so that a request with both faults gets 403. They are checked after the upserts,
    // because a line may name a record of an earlier line: what a stored record belongs to is fixed, so an upsert cannot change
    // it. And before the deletes, because a removed record no longer says whose it was.
    const { counted, removed, inserted, emptied, changed, unshown } = await db.write({
      counted: [countFeed(restores)],
      journalled: journals
        ? [journal({ source: restores ? "restore" : "feed", subject: token.subject, lines: sql`${count}` })]
        : [],
      unrestorable: restores ? [refuseUnrestorable()] : [],
      // Before the upserts, because it counts the members that groups had before the request.
      tooManyItems: restores ? [] : refuseLargeGroups(batches, items),
      // A line that is too old is a bad line, which is refused before accounts are checked. A restore takes it, because it may
      // not have been added up when it was exported.
      tooOld: restores ? [] : refuseTooOld(batches),
      ahead: restores ? [] : refuseAhead(batches),
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
        return upkeepOf(kind).map((addTo) => addTo(withFresh));
      }),
      inserted: newEvents.flatMap(({ kind, rowChunks }) => write(kind, rowChunks)),
      emptied: events.flatMap(({ kind, deletes }) => remove(kind, deletes)),
      dropped: fresh.length > 0 ? [sql`DELETE FROM fresh_events`] : [],
      changed: [selectChanges()],
      unshown: mayHaveUnshown ? [selectUnshown()] : [],
    });
    const deletesWithoutRecord = countLines(states, "deletes") - removed.length;
    const repeatedEvents = countLines(events, "all") - inserted.length - emptied.length;
    const ignored = deletesWithoutRecord + repeatedEvents;
    return {
      answer: { accepted: count - ignored, ignored, ...(warnings.length > 0 && { warnings }) },
      version: Number(counted[0]?.version),
      forListeners: { changes: toChanges(changed), unshown: unshown[0] ?? null },
    };
  } catch (error) {
    // A full database has no room for a row of the journal, but a request that only deletes makes room.
    const onlyDeletes = batches.every(({ writes }) => writes.length === 0);
    if (journals && onlyDeletes && databaseFaultOf(error) === "full")
      return acceptFeed(db, { body, token }, { journals: false });
    if (isTotalTooLarge(error)) throw totalTooLarge(await findTooLarge(db, newEvents));
    throw refusalOf(error, { faults: checks.faults, batches });
  }
}

/**
 * Counts the request. This comes first in the transaction, because triggers read `version` and `restorable` when they write
 * to the outbox. After a request that is no restore, no more restores are taken.
 */
function countFeed(restores: boolean) {
  const { version } = programState;
  return query
    .update(programState)
    .set({ version: sql`${version} + 1`, ...(!restores && { restorable: 0 }) })
    .returning(named({ version }));
}

function countLines(batches: readonly Batch[], which: "all" | "deletes"): number {
  return batches.reduce((sum, batch) => sum + batch[which].length, 0);
}
