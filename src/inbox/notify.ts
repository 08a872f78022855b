import type { Database } from "../db/database.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import type { Inboxes } from "./inboxes.ts";
import { showMessages, type UnshownMessages } from "./message-clock.ts";
import { type Change, removeNotified } from "./outbox.ts";
import type { Notification } from "./protocol.ts";

// After its answer a Worker has 30 seconds. The schedule leaves a change alone for longer than this.
const FEED_MS = 15_000;
const FEED_WAITS_MS = 2_000;

/** What a feed request changed for listeners, and its messages that are not shown yet. */
export interface FeedChanges {
  changes: readonly Change[];
  unshown: UnshownMessages | null;
}

/**
 * Notifies inboxes of what a feed request changed, before it is answered, as far as two seconds suffice. In the background
 * its messages are shown, the others are notified, and what was delivered is taken out of the outbox. What stays there,
 * also because this Worker ends before, is left to the schedule, which notifies once more.
 */
export async function notifyOfFeed(
  inboxes: Inboxes,
  { changes, unshown }: FeedChanges,
  { db, inBackground }: { db: Database; inBackground: (work: Promise<unknown>) => void },
): Promise<void> {
  if (changes.length === 0 && unshown === null) return;
  const showing = unshown === null ? Promise.resolve(true) : showOnceOver(db, unshown);
  const notifying = notifyAll(inboxes, toCalls(changes, unshown?.shownAt ?? 0), { by: "feed", milliseconds: FEED_MS });
  const removeDelivered = async () => {
    const [areShownInTime, { reached }] = [await showing, await notifying];
    // Where not, apps that asked after their frame may have found nothing (docs/contract/live.md, 2).
    if (areShownInTime) await removeNotified(db.newPrimarySession(), changes, reached);
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
  const last = await showMessages(db.newPrimarySession());
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

/** What a customer's inbox is notified of. */
export interface Call extends Omit<Notification, "messageWaitMs"> {
  customerId: string;
  /** When its messages are shown, in milliseconds since 1970: a call may wait for others. */
  shownAt: number;
}

// Of the six connections of an invocation, one is left for D1: a call beyond them would be queued, or cancelled.
export const CALLS_AT_ONCE = 5;
// So that inboxes that hang do not take the time of the others.
const CALL_MS = 2_000;

/** One call for each customer. `shownAt`: when the messages are shown; 0: they are. */
export function toCalls(changes: readonly Change[], shownAt: number): Call[] {
  const calls = new Map<string, Call>();
  for (const { kind, customers, newestAt } of changes)
    for (const customerId of customers) {
      const before = calls.get(customerId) ?? { kinds: [], newestAt };
      const kinds = [...new Set([...before.kinds, kind])];
      calls.set(customerId, {
        ...{ customerId, kinds, shownAt },
        newestAt: before.newestAt > newestAt ? before.newestAt : newestAt,
      });
    }
  return [...calls.values()];
}

/** Whose inbox answered, and whether the platform said that no more objects must be called now. */
export interface Outcome {
  reached: Set<string>;
  isOverloaded: boolean;
}

/** Makes these calls for so many milliseconds. None is repeated: whoever is not reached stays in the outbox. */
export function makeCalls(inboxes: Inboxes, calls: readonly Call[], milliseconds: number): Promise<Outcome> {
  const limits = { milliseconds, callMs: CALL_MS, failure: "INBOXES_UNREACHED" };
  return callEach(inboxes.underWay, calls, limits, async ({ customerId, shownAt, ...about }) => {
    await inboxes.notify(customerId, { ...about, messageWaitMs: Math.max(0, shownAt - Date.now()) });
    return { reached: new Set([customerId]), isOverloaded: false };
  });
}

/** Calls an object for each item, and logs how many did not answer. */
async function callEach<Item>(
  underWay: Set<Promise<void>>,
  items: readonly Item[],
  { milliseconds, callMs, failure }: { milliseconds: number; callMs: number; failure: string },
  call: (item: Item) => Promise<Outcome>,
): Promise<Outcome> {
  const endsAt = performance.now() + milliseconds;
  const left = () => endsAt - performance.now();
  const outcome: Outcome = { reached: new Set(), isOverloaded: false };
  let [answered, cause] = [0, ""];
  const take = ({ reached, isOverloaded }: Outcome) => {
    answered += 1;
    for (const customerId of reached) outcome.reached.add(customerId);
    outcome.isOverloaded ||= isOverloaded;
  };
  const fail = (error: unknown) => {
    cause ||= error instanceof Error ? error.name : "";
    outcome.isOverloaded ||= error instanceof Error && "overloaded" in error && error.overloaded === true;
  };
  const waiting: Promise<void>[] = [];
  for (const item of items) {
    // A call of which nobody waits for the answer any longer still has its connection.
    while (underWay.size >= CALLS_AT_ONCE && left() > 0) await withTimeout(left(), Promise.race(underWay)).catch(fail);
    if (left() <= 0 || outcome.isOverloaded) break;
    const work = call(item)
      .then(take, fail)
      .finally(() => underWay.delete(work));
    underWay.add(work);
    waiting.push(withTimeout(Math.min(left(), callMs), work).catch(fail));
  }
  await Promise.all(waiting);
  const count = items.length - answered;
  if (count > 0) console.error(JSON.stringify({ error: failure, count, cause: cause || TimedOut.name }));
  return outcome;
}
