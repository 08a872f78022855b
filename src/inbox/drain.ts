import type { Database } from "../db/database.ts";
import type { Inboxes } from "./inboxes.ts";
import { showMessages } from "./message-clock.ts";
import { notifyAll, toCalls } from "./notify.ts";
import { type Backlog, type Change, findChanges, removeNotified, removeOutdatedChanges } from "./outbox.ts";

/** The backlog at the start, and how many changes reached all their listeners, or did not. */
export interface Drained extends Omit<Backlog, "hasUnshown"> {
  notified: number;
  failed: number;
}

// A batch of changes takes about three statements and up to a hundred calls. A Worker may make 1,000 statements and 10,000
// calls.
const BATCHES_A_RUN = 80;

/**
 * Shows messages that no Worker has shown, and notifies inboxes of the changes that feed requests left in the outbox, the
 * newest first. Changes that fail, or for which no time is left, wait for the next run. Null: nothing waited.
 */
export async function drainOutbox(
  db: Database,
  inboxes: Inboxes,
  { hasUnshown, ...backlog }: Backlog,
  milliseconds: number,
): Promise<Drained | null> {
  const endsAt = performance.now() + milliseconds;
  if (hasUnshown === 1) await showMessages(db);
  if (backlog.waiting === 0) return null;

  const report: Drained = { ...backlog, notified: 0, failed: 0 };
  let last: Change | undefined;
  for (let batches = 0; batches < BATCHES_A_RUN; batches += 1) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) break;
    const changes = await findChanges(db, last);
    if (changes.length === 0) break;
    // All messages of these changes are shown, because they have waited for longer than a second.
    const calls = toCalls(changes, db.bookmark ?? "");
    const { reached, isOverloaded } = await notifyAll(inboxes, calls, { by: "schedule", milliseconds: leftMs });
    const done = await removeNotified(db, changes, reached);

    report.notified += done;
    report.failed += changes.length - done;
    if (isOverloaded) break;
    last = changes.at(-1);
  }
  // Old changes are removed last, so that the removal of many does not delay the new ones.
  while (!(await removeOutdatedChanges(db)) && performance.now() < endsAt);
  return report;
}
