import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { toInstant } from "../values/time.ts";
import type { Inboxes } from "./inboxes.ts";
import { showMessages } from "./message-clock.ts";
import { type Delivery, notifyAll, toCalls } from "./notify.ts";
import { type Backlog, type Change, findChanges, removeNotified, removeOutdatedChanges } from "./outbox.ts";
import type { CallsOutcome } from "./protocol.ts";

/** The backlog at the start, and how many changes reached all their listeners, or did not. */
export interface Drained extends Omit<Backlog, "hasUnshown"> {
  notified: number;
  failed: number;
}

/** What a drain of the outbox does outside: at D1, and at inboxes. */
export interface DrainCalls {
  /** Milliseconds since 1970. */
  now(): number;
  /** The newest changes that are older than this change; none: no change is left. */
  findChanges(olderThan: Change | undefined): Promise<readonly Change[]>;
  /** Notifies the listeners of changes, until the drain ends. */
  notify(changes: readonly Change[]): Promise<CallsOutcome>;
  /** Removes the customers who were reached. Resolves with how many changes have no listener left. */
  removeNotified(changes: readonly Change[], reached: ReadonlySet<string>): Promise<number>;
  /** Removes some changes that are an hour old. Resolves with whether none are left. */
  removeOutdated(): Promise<boolean>;
}

// A batch of changes takes about three statements and up to a hundred calls. A Worker may make 1,000 statements and 10,000
// calls.
const BATCHES_A_RUN = 80;

/**
 * Notifies of the changes in the outbox, newest first, until `endsAt`. Changes that fail, or for which no time is left, wait
 * for the next run. `delivery`: null if there was no change to notify of.
 */
export async function drain(calls: DrainCalls, endsAt: number) {
  const delivery: Delivery = { reached: 0, unreached: 0, milliseconds: 0 };
  let [notified, failed] = [0, 0];
  let last: Change | undefined;
  for (let batches = 0; batches < BATCHES_A_RUN && calls.now() < endsAt; batches += 1) {
    const changes = await calls.findChanges(last);
    const oldest = changes.at(-1);
    if (oldest === undefined) break;
    last = oldest;
    const { reached, isOverloaded } = await calls.notify(changes);
    const customers = new Set(changes.flatMap((change) => change.customers)).size;
    delivery.reached += reached.size;
    delivery.unreached += customers - reached.size;
    delivery.milliseconds = calls.now() - toInstant(oldest.storedAt);
    const done = await calls.removeNotified(changes, reached);
    notified += done;
    failed += changes.length - done;
    if (isOverloaded) break;
  }
  // Old changes are removed last, so that the removal of many does not delay the new ones.
  while (!(await calls.removeOutdated()) && calls.now() < endsAt);
  return { notified, failed, delivery: last === undefined ? null : delivery };
}

/** Shows messages that no Worker has shown, and drains the outbox. Null: nothing waited. */
export async function drainOutbox(
  db: Database,
  inboxes: Inboxes,
  { hasUnshown, ...backlog }: Backlog,
  limitMs: number,
) {
  const endsAt = clock.now() + limitMs;
  if (hasUnshown === 1) await showMessages(db);
  if (backlog.waiting === 0) return null;
  const calls: DrainCalls = {
    now: clock.now,
    findChanges: (olderThan) => findChanges(db, olderThan),
    // All messages of these changes are shown, because they have waited for longer than a second.
    notify: (changes) =>
      notifyAll(inboxes, toCalls(changes, db.bookmark ?? ""), { by: "schedule", milliseconds: endsAt - clock.now() }),
    removeNotified: (changes, reached) => removeNotified(db, changes, reached),
    removeOutdated: () => removeOutdatedChanges(db),
  };
  const { delivery, ...done } = await drain(calls, endsAt);
  const report: Drained = { ...backlog, ...done };
  return { report, delivery };
}
