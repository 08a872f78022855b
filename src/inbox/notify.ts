import type { Database } from "../db/database.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { CALLS_AT_ONCE, type Call, callEach, makeCalls, type Outcome, toCalls } from "./calls.ts";
import type { Inboxes } from "./inboxes.ts";
import { type Changes, removeNotified } from "./outbox/queries.ts";
import { showMessages, type UnshownMessages } from "./queries.ts";

// After its answer a Worker has 30 seconds. The schedule leaves a change alone for longer than this.
const FEED_MS = 15_000;
const FEED_WAITS_MS = 2_000;

/** What a feed request changed for listeners, and its messages that are not shown yet. */
export interface FeedChanges extends Changes {
  unshown: UnshownMessages | null;
}

/**
 * Notifies inboxes of what a feed request changed, before it is answered, as far as two seconds suffice. In the background
 * its messages are shown, the others are notified, and what was delivered is taken out of the outbox. What stays there,
 * also because this Worker ends before, is left to the schedule, which notifies once more.
 */
export async function notifyOfFeed(
  inboxes: Inboxes,
  { unshown, ...changes }: FeedChanges,
  { db, inBackground }: { db: Database; inBackground: (work: Promise<unknown>) => void },
): Promise<void> {
  const showing = unshown === null ? Promise.resolve(true) : showOnceOver(db, unshown);
  const notifying = notifyAll(inboxes, toCalls(changes), { by: "feed", milliseconds: FEED_MS });
  const removeDelivered = async () => {
    const [areShownInTime, { reached }] = [await showing, await notifying];
    // Where not, apps that asked after their frame may have found nothing (docs/contract/live.md, 2).
    if (areShownInTime)
      await removeNotified(db.inBackground(), changes.changes, (_, customerId) => reached.has(customerId));
  };
  inBackground(removeDelivered());
  await withTimeout(FEED_WAITS_MS, notifying).catch((error: unknown) => {
    if (!(error instanceof TimedOut)) throw error;
  });
}

// When a timer of the Worker's says that the second is over, it may not quite be over by D1's clock.
const SHOWN_AFTER_MS = 20;

// Clients ask for longer after their frame.
const IN_TIME_MS = 1_000;

/** Shows messages once their second is over, and resolves with whether they were shown in time. */
export async function showOnceOver(db: Database, { stamp, shownAt }: UnshownMessages): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, shownAt - Date.now()) + SHOWN_AFTER_MS));
  const startedAt = performance.now();
  const last = await showMessages(db.inBackground());
  return last > stamp && performance.now() - startedAt < IN_TIME_MS;
}

const CALLED_DIRECTLY = 100;
const LARGEST_BATCH = 500;
/** More than are at work at once, so that feeds at the same time seldom wait for each other's batches. */
const FAN_OUT_OBJECTS = 20;

/** Notifies customers, many through fan-out objects. */
export async function notifyAll(
  inboxes: Inboxes,
  calls: readonly Call[],
  { by, milliseconds }: { by: "feed" | "schedule"; milliseconds: number },
): Promise<Outcome> {
  if (calls.length <= CALLED_DIRECTLY) return makeCalls(inboxes, calls, milliseconds);
  const endsAt = Date.now() + milliseconds;
  const first = Math.floor(Math.random() * FAN_OUT_OBJECTS);
  const limits = { milliseconds, callMs: milliseconds, failure: "FAN_OUTS_UNREACHED" };
  return callEach(inboxes.underWay, batchesOf(calls), limits, ({ batch, index }) =>
    inboxes.fanOut(`${by} ${(first + index) % FAN_OUT_OBJECTS}`, batch, endsAt),
  );
}

/** Equal parts for as many objects as work at once, or more of the largest size. */
function batchesOf(calls: readonly Call[]): { batch: Call[]; index: number }[] {
  const size = Math.min(LARGEST_BATCH, Math.ceil(calls.length / CALLS_AT_ONCE));
  const count = Math.ceil(calls.length / size);
  return Array.from({ length: count }, (_, index) => ({ batch: calls.slice(index * size, (index + 1) * size), index }));
}
