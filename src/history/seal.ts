import type { Database } from "../db/database.ts";
import { writeLines } from "../feed/export/page.ts";
import { makePageInTurn } from "../feed/memory-turns.ts";
import { type HistorySettings, horizonOf } from "../programs/history.ts";
import { nameInLog, type Program } from "../programs/programs.ts";
import { SEALED_KINDS, type SealedKind } from "./kinds.ts";
import { pack, putOnce } from "./object.ts";
import { findOldEvents, findWalks, moveOn, takeOut, type Walk } from "./queries.ts";
import { folderOf, objectName } from "./segment.ts";

/** What the turns of a run have come to so far. */
export interface Sealed {
  segments: number;
  /** How many events have left. */
  sealed: number;
  /** What they take in R2. */
  bytes: number;
  /** For how many days there have been old events to look for. */
  behindDays: number;
}

interface SealTurn {
  /** Null: all events have been looked at this month. */
  report: Sealed | null;
  isDone: boolean;
}

const TOLD_BEHIND_DAYS = 3;

interface Options {
  program: Program;
  settings: HistorySettings | null;
  now: Date;
  /** How many events a step looks at; left out: as many as its kind says. */
  lookedAt?: number;
}

/**
 * Moves the events of before the horizon to R2 (docs/contract/history.md, 2): a turn looks for the walks of the month that
 * are not over, and each turn after it takes one step of one of them. What fails is done again in the next run.
 */
export function sealHistory(
  db: Database,
  { program, settings, now, lookedAt }: Options,
): () => Promise<SealTurn> {
  if (settings === null) return async () => ({ report: null, isDone: true });
  const horizon = horizonOf(settings, now);
  const month = horizon.slice(0, 7);
  let walks: Walk[] | undefined;
  let report: Sealed | null = null;

  return async () => {
    if (walks === undefined) {
      walks = await findWalks(db, month);
      if (walks.length > 0) report = begin(program, walks);
      return { report, isDone: walks.length === 0 };
    }
    const [walk] = walks;
    const kind = SEALED_KINDS.find(({ record }) => record === walk?.kind);
    if (walk === undefined || kind === undefined || report === null) return { report, isDone: true };
    const step = await takeStep(db, kind, walk, { program, settings, horizon, month, lookedAt });
    report.segments += step.sealed > 0 ? 1 : 0;
    report.sealed += step.sealed;
    report.bytes += step.bytes;
    walk.lastId = step.lastId;
    if (step.isOver) walks.shift();
    return { report, isDone: walks.length === 0 };
  };
}

function begin(program: Program, walks: readonly Walk[]): Sealed {
  const behindDays = Math.max(...walks.map(({ days }) => days));
  if (behindDays >= TOLD_BEHIND_DAYS) {
    const kinds = walks.map(({ kind }) => kind);
    console.warn(JSON.stringify({ warning: "HISTORY_BEHIND", ...nameInLog(program), days: behindDays, kinds }));
  }
  return { segments: 0, sealed: 0, bytes: 0, behindDays };
}

interface Context {
  program: Program;
  settings: HistorySettings;
  horizon: string;
  month: string;
  lookedAt: number | undefined;
}

/** Looks at the next events, and lets the old ones among them leave: first the object, then the transaction. */
async function takeStep(db: Database, kind: SealedKind, walk: Walk, { program, settings, lookedAt, ...from }: Context) {
  const { ids, content, number, ...to } = await makePageInTurn(program.name, () =>
    readStep(db, kind, { lastId: walk.lastId, lookedAt: lookedAt ?? kind.lookedAt, ...from }),
  );
  const step = { from: walk, ...to };
  if (content === null) {
    await moveOn(db, step);
    return { ...to, sealed: 0, bytes: 0 };
  }
  const { month } = from;
  const folder = folderOf(program.name, { kind: walk.kind, month });
  const free = await putOnce(settings.bucket, content, { folder, number });
  const bytes = content.bytes.byteLength;
  const segment = {
    kind: walk.kind,
    month,
    number: free,
    name: objectName(folder, free),
    lines: ids.length,
    bytes,
    sha256: content.sha256,
  };
  await takeOut(db, kind, { segment, ids, step });
  return { ...to, sealed: ids.length, bytes };
}

/** What the next step is: the events that leave with their object, and where the walk goes on. */
async function readStep(db: Database, kind: SealedKind, from: Parameters<typeof findOldEvents>[2]) {
  const found = await findOldEvents(db, kind, from);
  const { bytes, end } = writeLines(kind.walk, found);
  const ids = found.rows.map(({ end_0: id }) => String(id));
  // What did not fit is left to the next step.
  const leaving = end === undefined ? ids : ids.slice(0, ids.lastIndexOf(String(end[0])) + 1);
  return {
    ids: leaving,
    content: leaving.length > 0 ? await pack(bytes) : null,
    number: found.number,
    lastId: String(end?.[0] ?? found.lastId ?? from.lastId),
    isOver: end === undefined && found.isLast,
  };
}
