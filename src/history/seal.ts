import type { Database } from "../db/database.ts";
import { type HistorySettings, horizonOf } from "../feed/horizon.ts";
import { claimBucket } from "./object.ts";
import { findScans, type ScanProgress, takeStep } from "./queries.ts";

/** The report of a run. */
export interface Sealed {
  segments: number;
  /** How many events have left. */
  sealed: number;
  /** The size of the written objects. */
  bytes: number;
  /** For how many days the slowest scan has not moved. */
  behindDays: number;
}

const WARNED_BEHIND_DAYS = 3;

// Once steps have taken `BURST_MS` together, the database gets a pause of 1.6 times as long, so that most requests wait for no
// step. A few longer pauses let more requests through than a pause after each step.
const BURST_MS = 200;
const PAUSE_PER_WORK = 1.6;
const LONGEST_PAUSE_MS = 1_000;

interface Options {
  settings: HistorySettings;
  /** The name of this deployment's Worker. */
  worker: string;
  now: Date;
  /** Whether the limits of the run allow another step. */
  mayGoOn: () => boolean;
  /** How many events a step looks at; left out: as many as its kind says. */
  lookedAt?: number;
}

/**
 * Moves the events from before the horizon to R2 (docs/contract/history.md, 2): takes a step of each scan that is not over,
 * in turns. A scan whose step fails gets no more steps in this run. The report is null if there is no scan: all events have
 * been looked at this month, or the database still takes restores.
 * @throws {ForeignBucket} if the bucket belongs to another deployment.
 */
export async function sealHistory(
  db: Database,
  { settings, worker, now, mayGoOn, lookedAt }: Options,
): Promise<{ report: Sealed | null; failures: readonly unknown[]; isUnfinished: boolean }> {
  const horizon = horizonOf(settings, now);
  const scans = await findScans(db, horizon.slice(0, 7));
  if (scans.length === 0) return { report: null, failures: [], isUnfinished: false };
  await claimBucket(settings.bucket, worker);

  const report = { segments: 0, sealed: 0, bytes: 0, behindDays: warnIfBehind(scans) };
  const failures: unknown[] = [];
  let busyMs = 0;
  let pauseMs = 0;
  let scan = scans.shift();
  for (; scan !== undefined && mayGoOn(); scan = scans.shift()) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const startedAt = performance.now();
    try {
      const step = await takeStep(db, scan, { bucket: settings.bucket, horizon, lookedAt });
      report.segments += step.sealed > 0 ? 1 : 0;
      report.sealed += step.sealed;
      report.bytes += step.bytes;
      if (!step.isOver) scans.push({ ...scan, lastId: step.lastId });
    } catch (failure) {
      failures.push(failure);
    }
    busyMs += performance.now() - startedAt;
    const isPauseDue = busyMs >= BURST_MS;
    pauseMs = isPauseDue ? Math.min(PAUSE_PER_WORK * busyMs, LONGEST_PAUSE_MS) : 0;
    if (isPauseDue) busyMs = 0;
  }
  return { report, failures, isUnfinished: scan !== undefined || failures.length > 0 };
}

function warnIfBehind(scans: readonly ScanProgress[]): number {
  const days = Math.max(...scans.map((scan) => scan.days));
  const kinds = scans.filter((scan) => scan.days >= WARNED_BEHIND_DAYS).map(({ kind }) => kind);
  if (kinds.length > 0) console.warn(JSON.stringify({ warning: "HISTORY_BEHIND", days, kinds }));
  return days;
}
