import type { Database } from "../db/database.ts";
import { withTimeout } from "../values/timeout.ts";
import type { ChangeKind } from "./frames.ts";
import type { Inboxes } from "./inboxes.ts";
import {
  type Backlog,
  type Change,
  type Changes,
  findChanges,
  findWork,
  removeChanges,
  removeOutdatedChanges,
  showMessages,
  type UnshownMessages,
} from "./queries.ts";

/** How much a feed request notifies before it is answered. What is left then is left to the schedule. */
const FEED_LIMITS = { calls: 500, milliseconds: 2_000 };

const CALLS_AT_ONCE = 50;
// A Worker may send D1 1,000 statements, and make 10,000 calls.
const PAGES_A_RUN = 100;
// So that inboxes that hang do not take the time of the others.
const CALL_MS = 2_000;

/** What one call notifies a customer's inbox of. */
interface Call {
  customerId: string;
  version: number;
  kinds: ChangeKind[];
}

/** What a feed request changed for listeners, and its messages that are not shown yet. */
export interface FeedChanges extends Changes {
  unshown: UnshownMessages | null;
}

/**
 * Notifies inboxes of what a feed request changed, before it is answered. In the background its messages are shown, and
 * what was delivered is taken out of the outbox. What stays there, also because this Worker ends before, is left to the
 * schedule, which notifies once more.
 */
export async function notifyOfFeed(
  inboxes: Inboxes,
  { changes, messageWaitMs, unshown }: FeedChanges,
  { db, inBackground }: { db: Database; inBackground: (work: Promise<unknown>) => void },
): Promise<void> {
  const { calls, milliseconds } = FEED_LIMITS;
  const showing = unshown === null ? Promise.resolve(true) : showOnceOver(db, unshown);
  const notifying = notifyInboxes(inboxes, toCalls(changes).slice(0, calls), { messageWaitMs, milliseconds });
  const removeDelivered = async () => {
    const [areShownInTime, notified] = [await showing, await notifying];
    const done = changes.filter((change) => change.customers.every((customerId) => notified.has(customerId)));
    // Where not, apps that asked after their frame may have found nothing (docs/contract/live.md, 2).
    if (areShownInTime && done.length > 0) await removeChanges(db.inBackground(), done);
  };
  inBackground(removeDelivered());
  await notifying;
}

// When a timer of the Worker's says that the second is over, it may not quite be over by D1's clock.
const SHOWN_AFTER_MS = 20;

// Clients ask for longer after their frame.
const IN_TIME_MS = 1_000;

/** Shows messages once their second is over, and resolves with whether they were shown in time. */
export async function showOnceOver(db: Database, { stamp, waitMs }: UnshownMessages): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, waitMs + SHOWN_AFTER_MS));
  const startedAt = performance.now();
  const last = await showMessages(db.inBackground());
  return last > stamp && performance.now() - startedAt < IN_TIME_MS;
}

/** What waited in the outbox, how many changes were delivered to all their listeners, and how many were not. */
export interface Drained extends Backlog {
  notified: number;
  failed: number;
}

/**
 * Shows messages that no Worker has shown, and notifies inboxes of the changes that feed requests left in the outbox. The
 * newest come first: a customer who was notified of one need not be notified of an older one of its kind. What fails waits
 * for the next run. Null: there was nothing to notify.
 */
export async function drainOutbox(
  db: Database,
  inboxes: Inboxes,
  { milliseconds }: { milliseconds: number },
): Promise<Drained | null> {
  const endsAt = performance.now() + milliseconds;
  const { hasUnshown, ...backlog } = await findWork(db);
  if (hasUnshown === 1) await showMessages(db);
  if (backlog.waiting === 0) return null;
  await removeOutdatedChanges(db);

  // Up to which version each customer was notified.
  const notified: Record<ChangeKind, Map<string, number>> = {
    messages: new Map(),
    coupons: new Map(),
    balance: new Map(),
  };
  const isNotified = ({ kind, version }: Change, id: string) => (notified[kind].get(id) ?? -1) >= version;
  const unreachable = new Set<string>();
  const report: Drained = { ...backlog, notified: 0, failed: 0 };
  let last: Change | undefined;
  for (let page = 1; page <= PAGES_A_RUN && performance.now() < endsAt; page += 1) {
    const { changes, messageWaitMs, isLast } = await findChanges(db, last);
    const isToCall = (change: Change) => (id: string) => !isNotified(change, id) && !unreachable.has(id);
    const calls = toCalls(changes.map((one) => ({ ...one, customers: one.customers.filter(isToCall(one)) })));
    const reached = await notifyInboxes(inboxes, calls, { messageWaitMs, milliseconds: endsAt - performance.now() });
    for (const { customerId, version, kinds } of calls) {
      if (!reached.has(customerId)) unreachable.add(customerId);
      else for (const kind of kinds) notified[kind].set(customerId, version);
    }
    const done = changes.filter((change) => change.customers.every((id) => isNotified(change, id)));
    await removeChanges(db, done);
    report.notified += done.length;
    report.failed += changes.length - done.length;
    last = changes.at(-1);
    if (isLast) break;
  }
  return report;
}

/** Makes these calls, and resolves with the customers whose inbox answered in time. */
async function notifyInboxes(
  inboxes: Inboxes,
  calls: readonly Call[],
  { messageWaitMs, milliseconds }: { messageWaitMs: number; milliseconds: number },
): Promise<Set<string>> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const queue = calls.values();
  const notified = new Set<string>();
  const callNext = async () => {
    for (const { customerId, version, kinds } of queue) {
      const left = milliseconds - elapsed();
      if (left <= 0) return;
      const wait = Math.max(0, messageWaitMs - elapsed());
      const call = inboxes.notify(customerId, { version, kinds, messageWaitMs: wait });
      // What fails or takes too long stays in the outbox.
      const isNotified = await withTimeout(Math.min(left, CALL_MS), call).then(
        () => true,
        () => false,
      );
      if (isNotified) notified.add(customerId);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, callNext));
  return notified;
}

/** One call for each customer, with the newest version, because a report may have been read between two changes. */
function toCalls(changes: readonly Change[]): Call[] {
  const calls = new Map<string, Call>();
  for (const { version, kind, customers } of changes) {
    for (const customerId of customers) {
      const call = calls.get(customerId) ?? { customerId, version, kinds: [] };
      call.version = Math.max(call.version, version);
      if (!call.kinds.includes(kind)) call.kinds.push(kind);
      calls.set(customerId, call);
    }
  }
  return [...calls.values()];
}
