import type { Database } from "../db/database.ts";
import { withTimeout } from "../values/timeout.ts";
import type { What } from "./frames.ts";
import type { Inboxes } from "./inboxes.ts";
import { type Change, type Changes, forgetChanges } from "./queries.ts";

/** What a feed request tells before it is answered. What is not told in time is left to the schedule. */
const A_FEED_TELLS = { customers: 500, milliseconds: 2_000 };

const AT_ONCE = 50;
// So that inboxes that hang do not take the time of the others.
const ONE_TELLING_MS = 2_000;

interface ToTell {
  customerId: string;
  version: number;
  what: What[];
}

/** Tells inboxes, each with one call, and resolves with the customers whose inbox was told in time. */
export async function tellInboxes(
  inboxes: Inboxes,
  toTell: readonly ToTell[],
  { messageWaitMs, milliseconds }: { messageWaitMs: number; milliseconds: number },
): Promise<Set<string>> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const queue = toTell.values();
  const told = new Set<string>();
  const tellNext = async () => {
    for (const { customerId, version, what } of queue) {
      const left = milliseconds - elapsed();
      if (left <= 0) return;
      const waited = Math.max(0, messageWaitMs - elapsed());
      const telling = inboxes.tell(customerId, { version, what, messageWaitMs: waited });
      // One that fails or takes too long stays in the outbox.
      const isTold = await withTimeout(Math.min(left, ONE_TELLING_MS), telling).then(
        () => true,
        () => false,
      );
      if (isTold) told.add(customerId);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tellNext));
  return told;
}

/** Tells inboxes of what a feed request changed, before it is answered; the outbox is emptied in the background. */
export async function tellOfFeed(
  inboxes: Inboxes,
  { changes, messageWaitMs }: Changes,
  { db, inBackground }: { db: Database; inBackground: (work: Promise<unknown>) => void },
): Promise<void> {
  if (changes.length === 0) return;
  const { customers, milliseconds } = A_FEED_TELLS;
  const told = await tellInboxes(inboxes, byCustomer(changes).slice(0, customers), { messageWaitMs, milliseconds });
  const done = changes.filter((change) => change.customers.every((customerId) => told.has(customerId)));
  if (done.length > 0) inBackground(forgetChanges(db.inBackground(), done));
}

/** What each customer is to be told of several changes: with the newest version, because a report may be from between. */
export function byCustomer(changes: readonly Change[]): ToTell[] {
  const all = new Map<string, ToTell>();
  for (const { version, what, customers } of changes) {
    for (const customerId of customers) {
      const before = all.get(customerId);
      if (before === undefined) all.set(customerId, { customerId, version, what: [what] });
      else {
        before.version = Math.max(before.version, version);
        if (!before.what.includes(what)) before.what.push(what);
      }
    }
  }
  return [...all.values()];
}
