import type { Database } from "../db/database.ts";
import type { Inboxes } from "./inboxes.ts";
import { findUntold, forgetChanges, forgetOutdated } from "./queries.ts";
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
  for (;;) {
    const untold = await findUntold(db);
    if (untold.changes.length === 0) break;
    const told = await tellInboxes(inboxes, untold, { customers, milliseconds: endsAt - performance.now() });
    await forgetChanges(db, told);
    report.told += told.length;
    customers -= new Set(told.flatMap((change) => change.customers)).size;
    // Some fail or the run is over: what is left has its turn in a minute, so that one that fails holds up no others.
    if (told.length < untold.changes.length) {
      report.failed = untold.changes.length - told.length;
      break;
    }
  }
  return report.told + report.failed === 0 ? null : report;
}
