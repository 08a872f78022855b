import type { Database } from "../db/database.ts";
import { within } from "../values/within.ts";
import type { What } from "./frames.ts";
import type { Inboxes } from "./inboxes.ts";
import { type Change, type Changes, forgetChanges } from "./queries.ts";

/** How many inboxes are told, and for how long. What is not told in time is left to the schedule. */
export interface TellLimits {
  customers: number;
  milliseconds: number;
}

/** What a feed request tells before it is answered. */
export const A_FEED_TELLS: TellLimits = { customers: 500, milliseconds: 2_000 };

const AT_ONCE = 50;
// So that inboxes that hang do not take the time of the others.
const ONE_TELLING_MS = 2_000;

interface ToTell {
  customerId: string;
  version: number;
  what: What[];
}

/** Tells inboxes of changes, and resolves with those changes of which every listener has been told. */
export async function tellInboxes(
  inboxes: Inboxes,
  { changes, messageWaitMs }: Changes,
  { customers, milliseconds }: TellLimits,
): Promise<Change[]> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const queue = byCustomer(changes).slice(0, customers).values();
  const told = new Set<string>();
  const tellNext = async () => {
    for (const { customerId, version, what } of queue) {
      const left = milliseconds - elapsed();
      if (left <= 0) return;
      const waited = Math.max(0, messageWaitMs - elapsed());
      const telling = inboxes.tell(customerId, { version, what, messageWaitMs: waited });
      // One that fails or takes too long stays in the outbox.
      const isTold = await within(Math.min(left, ONE_TELLING_MS), telling).then(
        () => true,
        () => false,
      );
      if (isTold) told.add(customerId);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tellNext));
  return changes.filter((change) => change.customers.every((customerId) => told.has(customerId)));
}

/** Tells inboxes of what a feed request changed, before it is answered; the outbox is emptied in the background. */
export async function tellOfFeed(
  inboxes: Inboxes,
  changes: Changes,
  { db, inBackground }: { db: Database; inBackground: (work: Promise<unknown>) => void },
): Promise<void> {
  if (changes.changes.length === 0) return;
  const told = await tellInboxes(inboxes, changes, A_FEED_TELLS);
  if (told.length > 0) inBackground(forgetChanges(db.inBackground(), told));
}

function byCustomer(changes: readonly Change[]): ToTell[] {
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
