import type { Database } from "../db/database.ts";
import type { Inboxes } from "./inboxes.ts";
import { type Change, findUntold, forgetChanges, forgetOutdated } from "./queries.ts";
import { tellInboxes } from "./tell.ts";

/** How far one run goes: the next begins a minute later. A Worker may make 10,000 calls. */
const RUN_LIMITS = { customers: 5_000, milliseconds: 50_000 };

/** What a run has come to. */
export interface UntoldReport {
  /** Changes of which all listeners have now been told. */
  told: number;
  /** Changes of which some could not be told: the next run tries again, for an hour. */
  failed: number;
}

/** Tells inboxes of the changes that feed requests left in the outbox; null where it is empty, as it mostly is. */
export async function tellUntold(db: Database, inboxes: Inboxes): Promise<UntoldReport | null> {
  const endsAt = performance.now() + RUN_LIMITS.milliseconds;
  const report: UntoldReport = { told: 0, failed: 0 };
  await forgetOutdated(db);
  let customers = RUN_LIMITS.customers;
  let last: Change | undefined;
  while (customers > 0 && performance.now() < endsAt) {
    const untold = await findUntold(db, last);
    if (untold.changes.length === 0) break;
    const told = await tellInboxes(inboxes, untold, { customers, milliseconds: endsAt - performance.now() });
    await forgetChanges(db, told);
    report.told += told.length;
    report.failed += untold.changes.length - told.length;
    customers -= new Set(untold.changes.flatMap((change) => change.customers)).size;
    // What failed has its turn in a minute, and holds up nothing after it.
    last = untold.changes.at(-1);
  }
  return report.told + report.failed === 0 ? null : report;
}
