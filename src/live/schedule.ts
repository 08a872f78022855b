import type { Database } from "../db/database.ts";
import type { What } from "./frames.ts";
import type { Inboxes } from "./inboxes.ts";
import { type Change, findUntold, forgetChanges, forgetOutdated, hasUntold } from "./queries.ts";
import { byCustomer, tellInboxes } from "./tell.ts";

/** What a turn has come to, with those before it. */
export interface TellTurn {
  /** Changes of which all listeners have been told, and those of which some could not be; null: there were none. */
  report: { told: number; failed: number } | null;
  /** How many inboxes this turn called. */
  calls: number;
  isDone: boolean;
}

/**
 * Tells inboxes of the changes that feed requests left in the outbox, in turns of so many calls. The newest come first: a
 * customer who was told of one need not be told of an older one of its kind. What fails has its turn in a minute.
 */
export function tellUntold(
  db: Database,
  inboxes: Inboxes,
): (limits: { calls: number; milliseconds: number }) => Promise<TellTurn> {
  const [told, unreachable] = [new Map<string, Set<What>>(), new Set<string>()];
  const isTold = (customerId: string, what: What) => told.get(customerId)?.has(what) ?? false;
  const report = { told: 0, failed: 0 };
  let last: Change | undefined;

  return async ({ calls, milliseconds }) => {
    if (last === undefined) {
      if (!(await hasUntold(db))) return { report: null, calls: 0, isDone: true };
      await forgetOutdated(db);
    }
    const untold = await findUntold(db, last);
    const left = untold.changes.map((change) => {
      const isToCall = (customerId: string) => !isTold(customerId, change.what) && !unreachable.has(customerId);
      return { ...change, customers: change.customers.filter(isToCall) };
    });
    const taken = left.slice(0, countFitting(left, calls));
    const changes = untold.changes.slice(0, taken.length);

    const toTell = byCustomer(taken);
    const reached = await tellInboxes(inboxes, toTell, { messageWaitMs: untold.messageWaitMs, milliseconds });
    for (const { customerId, what } of toTell) {
      if (!reached.has(customerId)) unreachable.add(customerId);
      else told.set(customerId, new Set([...(told.get(customerId) ?? []), ...what]));
    }
    const done = changes.filter(({ customers, what }) => customers.every((customerId) => isTold(customerId, what)));
    await forgetChanges(db, done);

    report.told += done.length;
    report.failed += changes.length - done.length;
    last = changes.at(-1);
    const isNothing = report.told + report.failed === 0;
    return {
      report: isNothing ? null : report,
      calls: toTell.length,
      isDone: untold.isLast && changes.length === untold.changes.length,
    };
  };
}

/** How many changes, the first ones, concern no more customers than so many; one at least, or there would be no end. */
function countFitting(changes: readonly Change[], mostCustomers: number): number {
  const customers = new Set<string>();
  const beyond = changes.findIndex((change, index) => {
    for (const customerId of change.customers) customers.add(customerId);
    return index > 0 && customers.size > mostCustomers;
  });
  return beyond === -1 ? changes.length : beyond;
}
