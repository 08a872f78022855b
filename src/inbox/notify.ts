import type { Database } from "../db/database.ts";
import { clock } from "../values/clock.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import type { Inboxes } from "./inboxes.ts";
import { showOnceOver, type UnshownMessages } from "./message-clock.ts";
import { type Change, removeNotified } from "./outbox.ts";
import type { Call, CallsOutcome } from "./protocol.ts";

// A feed request notifies inboxes for this long. A Worker may go on for 30 seconds after its answer, and the schedule takes
// only changes that are older.
const FEED_MS = 15_000;
const FEED_WAITS_MS = 2_000;

/** The changes of a feed request that concern listeners, and its unshown messages. */
export interface FeedChanges {
  changes: readonly Change[];
  unshown: UnshownMessages | null;
}

/** How many customers' inboxes heard of changes, and how many milliseconds after the commit the last call ended. */
export interface Delivery {
  reached: number;
  unreached: number;
  milliseconds: number;
}

/** Where a request runs: its session at D1, its background, and its metrics. */
interface Surroundings {
  db: Database;
  inBackground: (work: Promise<unknown>) => void;
  onDelivery: (delivery: Delivery) => void;
}

/**
 * Notifies inboxes of the changes of a feed request that was just committed. Those of unshown messages wait in the background
 * until the messages are shown, so that a read at the bookmark shows all that an inbox hears of. The request waits for the
 * others, two seconds at most. The schedule notifies of what stays in the outbox, for example because this Worker has ended.
 */
export async function notifyOfFeed(
  inboxes: Inboxes,
  { changes, unshown }: FeedChanges,
  { db, inBackground, onDelivery }: Surroundings,
): Promise<void> {
  const committedAt = performance.now();
  const notify = async (shownChanges: readonly Change[], bookmark: string) => {
    const calls = toCalls(shownChanges, bookmark);
    if (calls.length === 0) return;
    const { reached } = await notifyAll(inboxes, calls, { by: "feed", milliseconds: FEED_MS });
    const milliseconds = Math.round(performance.now() - committedAt);
    onDelivery({ reached: reached.size, unreached: calls.length - reached.size, milliseconds });
    inBackground(removeNotified(db.newPrimarySession(), shownChanges, reached));
  };
  const isShown = ({ newestAt }: Change) => unshown === null || newestAt < unshown.stamp;
  const unshownChanges = changes.filter((change) => !isShown(change));
  if (unshown !== null) inBackground(showOnceOver(db, unshown).then((bookmark) => notify(unshownChanges, bookmark)));
  const notifying = notify(changes.filter(isShown), db.bookmark ?? "");
  inBackground(notifying);
  await Promise.race([notifying, clock.pause(FEED_WAITS_MS)]);
}

const CALLED_DIRECTLY = 100;
const LARGEST_BATCH = 500;
/** More objects than one feed uses at once, so that simultaneous feeds seldom wait for each other's batches. */
const FAN_OUT_OBJECTS = 20;

/** Makes calls directly, or through fan-out objects if there are more than 100. */
export async function notifyAll(
  inboxes: Inboxes,
  calls: readonly Call[],
  { by, milliseconds }: { by: "feed" | "schedule"; milliseconds: number },
): Promise<CallsOutcome> {
  if (calls.length <= CALLED_DIRECTLY) return makeCalls(inboxes, calls, milliseconds);
  const endsAt = Date.now() + milliseconds;
  const first = Math.floor(Math.random() * FAN_OUT_OBJECTS);
  const limits = { milliseconds, callMs: milliseconds, failure: "FAN_OUTS_UNREACHED" };
  return callEach(inboxes.underWay, batchesOf(calls), limits, (batch, index) =>
    inboxes.fanOut(`${by} ${(first + index) % FAN_OUT_OBJECTS}`, batch, endsAt),
  );
}

/** Splits calls into five batches of one size, or into more batches of the largest size. */
function batchesOf(calls: readonly Call[]): Call[][] {
  const size = Math.min(LARGEST_BATCH, Math.ceil(calls.length / CALLS_AT_ONCE));
  const count = Math.ceil(calls.length / size);
  return Array.from({ length: count }, (_, index) => calls.slice(index * size, (index + 1) * size));
}

// An invocation has six connections, and one is left for D1. A seventh call would be queued, or cancelled.
export const CALLS_AT_ONCE = 5;
// Inboxes that hang must not take the time of the others.
const CALL_MS = 2_000;

/** One call for each customer. A read at the bookmark must show all changes. */
export function toCalls(changes: readonly Change[], bookmark: string): Call[] {
  const calls = new Map<string, Call>();
  for (const change of changes)
    for (const customerId of change.customers) {
      const known = calls.get(customerId) ?? { topics: [], newestAt: "" };
      const topics = [...new Set([...known.topics, change.topic])];
      const newestAt = known.newestAt > change.newestAt ? known.newestAt : change.newestAt;
      calls.set(customerId, { customerId, topics, newestAt, bookmark });
    }
  return [...calls.values()];
}

/** Makes these calls within the time. No call is repeated: customers who are not reached stay in the outbox. */
export function makeCalls(inboxes: Inboxes, calls: readonly Call[], milliseconds: number): Promise<CallsOutcome> {
  const limits = { milliseconds, callMs: CALL_MS, failure: "INBOXES_UNREACHED" };
  return callEach(inboxes.underWay, calls, limits, async ({ customerId, ...notification }) => {
    await inboxes.notify(customerId, notification);
    return { reached: new Set([customerId]), isOverloaded: false };
  });
}

/** Makes a call for each item, and logs how many were not answered. */
async function callEach<Item>(
  underWay: Set<Promise<void>>,
  items: readonly Item[],
  { milliseconds, callMs, failure }: { milliseconds: number; callMs: number; failure: string },
  call: (item: Item, index: number) => Promise<CallsOutcome>,
): Promise<CallsOutcome> {
  const endsAt = performance.now() + milliseconds;
  const leftMs = () => endsAt - performance.now();
  const outcome: CallsOutcome = { reached: new Set(), isOverloaded: false };
  let answered = 0;
  let cause = "";
  const take = ({ reached, isOverloaded }: CallsOutcome) => {
    answered += 1;
    for (const customerId of reached) outcome.reached.add(customerId);
    outcome.isOverloaded ||= isOverloaded;
  };
  const fail = (error: unknown) => {
    cause ||= error instanceof Error ? error.name : "";
    outcome.isOverloaded ||= error instanceof Error && "overloaded" in error && error.overloaded === true;
  };
  const waiting: Promise<void>[] = [];
  for (const [index, item] of items.entries()) {
    // `underWay` is the lock: a call that has timed out still holds a connection, so this waits until a call really ends.
    while (underWay.size >= CALLS_AT_ONCE && leftMs() > 0)
      await withTimeout(leftMs(), Promise.race(underWay)).catch(fail);
    if (leftMs() <= 0 || outcome.isOverloaded) break;
    const work = call(item, index)
      .then(take, fail)
      .finally(() => underWay.delete(work));
    underWay.add(work);
    waiting.push(withTimeout(Math.min(leftMs(), callMs), work).catch(fail));
  }
  await Promise.all(waiting);
  const count = items.length - answered;
  if (count > 0) console.error(JSON.stringify({ error: failure, count, cause: cause || TimedOut.name }));
  return outcome;
}
