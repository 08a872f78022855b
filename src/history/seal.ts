import type { Database } from "../db/database.ts";
import { type HistorySettings, horizonOf } from "../feed/horizon.ts";
import { kindOf } from "./kinds.ts";
import { claimBucket, folderOf, objectName, pack, putOnce } from "./object.ts";
import { findLeaving, findScans, moveOn, type Scan, takeOut } from "./queries.ts";

/** What a run has come to. */
export interface Sealed {
  segments: number;
  /** How many events have left. */
  sealed: number;
  /** What they take in R2. */
  bytes: number;
  /** For how many days a scan that is not over has not moved, where it is longest. */
  behindDays: number;
}

const TOLD_BEHIND_DAYS = 3;

/** Steps follow each other for so long: fewer and longer rests meet more of the requests than a rest after each step. */
const BURST_MS = 200;

/** Then others have the database for so many times as long: most of them meet no step. */
const RESTS = 1.6;
const LONGEST_REST_MS = 1_000;

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
 * Moves the events of before the horizon to R2 (docs/contract/history.md, 2): a step of each scan of the month that is not
 * over, in turns. A scan whose step fails gets no more steps in this run. The report is null once all events have been
 * looked at this month, or the database may still be restored.
 * @throws {ForeignBucket} where the bucket belongs to another deployment.
 */
export async function sealHistory(
  db: Database,
  { settings, worker, now, mayGoOn, lookedAt }: Options,
): Promise<{ report: Sealed | null; failures: readonly unknown[]; isUnfinished: boolean }> {
  const horizon = horizonOf(settings, now);
  const month = horizon.slice(0, 7);
  const scans = await findScans(db, month);
  if (scans.length === 0) return { report: null, failures: [], isUnfinished: false };
  await claimBucket(settings.bucket, worker);

  const report = begin(scans);
  const failures: unknown[] = [];
  let [busyMs, restMs] = [0, 0];
  let scan = scans.shift();
  for (; scan !== undefined && mayGoOn(); scan = scans.shift()) {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    const startedAt = performance.now();
    try {
      const step = await takeStep(db, scan, { settings, horizon, month, lookedAt });
      report.segments += step.sealed > 0 ? 1 : 0;
      report.sealed += step.sealed;
      report.bytes += step.bytes;
      if (!step.isOver) scans.push({ ...scan, lastId: step.lastId });
    } catch (failure) {
      failures.push(failure);
    }
    busyMs += performance.now() - startedAt;
    [busyMs, restMs] = busyMs < BURST_MS ? [busyMs, 0] : [0, Math.min(RESTS * busyMs, LONGEST_REST_MS)];
  }
  return { report, failures, isUnfinished: scan !== undefined || failures.length > 0 };
}

function begin(scans: readonly Scan[]): Sealed {
  const behindDays = Math.max(...scans.map(({ days }) => days));
  const behind = scans.filter(({ days }) => days >= TOLD_BEHIND_DAYS);
  if (behind.length > 0) {
    const kinds = behind.map(({ kind }) => kind);
    console.warn(JSON.stringify({ warning: "HISTORY_BEHIND", days: behindDays, kinds }));
  }
  return { segments: 0, sealed: 0, bytes: 0, behindDays };
}

interface Context {
  settings: HistorySettings;
  horizon: string;
  month: string;
  lookedAt: number | undefined;
}

/** Looks at the next events, and lets the old ones among them leave: first the object, then the transaction. */
async function takeStep(db: Database, scan: Scan, { settings, lookedAt, ...from }: Context) {
  const kind = kindOf(scan.kind);
  const { ids, lines, number, ...to } = await findLeaving(db, kind, {
    lastId: scan.lastId,
    lookedAt: lookedAt ?? kind.lookedAt,
    ...from,
  });
  const { month, horizon } = from;
  const step = { from: scan, ...to };
  if (ids.length === 0) {
    await moveOn(db, step);
    return { ...to, sealed: 0, bytes: 0 };
  }
  const content = await pack(lines);
  const folder = folderOf({ kind: scan.kind, month });
  const free = await putOnce(settings.bucket, content, { folder, number });
  const bytes = content.bytes.byteLength;
  const of = { kind: scan.kind, month, number: free, name: objectName(folder, free) };
  await takeOut(db, kind, { segment: { ...of, bytes, sha256: content.sha256 }, ids, horizon, step });
  return { ...to, sealed: ids.length, bytes };
}
