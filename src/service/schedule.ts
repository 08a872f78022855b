import { inboxNamespace } from "../app-env.ts";
import { Cache } from "../cache/cache.ts";
import { MERGE_LIMITS, mergeIndexes, QUERIES_A_STEP } from "../customer/search/merge-indexes.ts";
import { Database } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { type Sealed, sealHistory } from "../history/seal.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { type Drained, drainOutbox } from "../inbox/notify.ts";
import { removeFormerListeners } from "../inbox/queries.ts";
import { writeMetrics } from "../metrics/metrics.ts";
import { historySettings } from "../programs/history.ts";
import { DEFAULT_PROGRAM, listPrograms, nameInLog, type Program } from "../programs/programs.ts";
import { countQueries } from "./count-queries.ts";
import { Place } from "./place.ts";
import { type Allowance, orderFrom, runTurns, type TurnRules, type Used } from "./turns.ts";

/** What was done for a program, in the words of the log: the counts of the outbox, or those of another job. */
type Report = Drained | Sealed | { removed: number } | { steps: number; unfinished: readonly string[] };

/** What a program's turns have come to so far. */
interface Turn {
  /** What there was to do and what is left; null where there was nothing. */
  report: Report | null;
  /** How many inboxes the last turn called. */
  calls?: number;
  /** What failed of it, where the next turn goes on all the same. */
  failures?: readonly unknown[];
  isDone: boolean;
}

interface Job extends TurnRules {
  work: string;
  begin: (db: Database, of: Of) => (allowance: Allowance) => Promise<Turn>;
  /** Whether a deployment does without it; left out: none does. */
  isOff?: (env: Env) => boolean;
}

/** Whom a job is for. */
interface Of {
  program: Program;
  inboxes: Inboxes;
  env: Env;
}

// A Worker has six connections.
const AT_ONCE = 4;

/** The job of each cron of `wrangler.toml`. */
const JOBS: Readonly<Record<string, Job>> = {
  "* * * * *": {
    work: "notify inboxes",
    milliseconds: 50_000,
    // The largest group has a hundred members.
    least: { queries: 25, calls: 100 },
    atOnce: AT_ONCE,
    begin: (db, { inboxes }) => drainOutbox(db, inboxes),
  },
  "30 5 * * *": {
    work: "remove former listeners",
    milliseconds: 300_000,
    least: { queries: 1, calls: 0 },
    atOnce: AT_ONCE,
    begin: (db) => {
      let removed = 0;
      return async () => {
        const turn = await removeFormerListeners(db);
        removed += turn.removed;
        return { report: { removed }, isDone: turn.isDone };
      };
    },
  },
  "0 6 * * *": {
    work: "merge the search indexes",
    milliseconds: MERGE_LIMITS.milliseconds,
    least: { queries: 25, calls: 0 },
    atOnce: 1,
    begin:
      (db) =>
      async ({ queries, milliseconds }) => {
        const steps = Math.min(MERGE_LIMITS.steps, Math.floor(queries / QUERIES_A_STEP));
        return { report: await mergeIndexes(db, { ...MERGE_LIMITS, steps, milliseconds }), isDone: true };
      },
  },
  "*/10 7-10 * * *": {
    work: "seal history",
    milliseconds: 480_000,
    least: { queries: 25, calls: 0 },
    // So one object waits for R2 in the isolate's memory.
    atOnce: 1,
    isOff: (env) => historySettings(env) === null,
    begin: (db, { program, env }) => sealHistory(db, { program, settings: historySettings(env), now: new Date() }),
  },
};

/**
 * Runs a scheduled job for every program, or for as many as a Worker's limits allow: the next run begins where this one
 * ended. A failure ends it for that program, the platform's log has it, and the next run goes on.
 */
export const onSchedule: ExportedHandlerScheduledHandler<Env> = async ({ cron, scheduledTime }, env, context) => {
  const job = JOBS[cron];
  if (job === undefined) throw new Error(`There is no job for the cron ${cron}.`);
  if (job.isOff?.(env)) return;
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const place = new Place(new Cache(env.CACHE, DEFAULT_PROGRAM, waitUntil), job.work);
  const programs = listPrograms(env);
  const order = programs.length === 1 ? programs : orderFrom(programs, await place.read(programs, scheduledTime));
  const runs = order.map((program) =>
    runOf(job, { program, inboxes: new Inboxes(inboxNamespace(env), program.name, waitUntil), env }),
  );

  const startedAt = performance.now();
  const { begun, next } = await runTurns(
    runs.map(({ takeTurn }) => takeTurn),
    job,
  );
  const first = next === undefined ? undefined : order[next];
  if (first !== undefined) await place.write(first);
  const ended = runs.map((run) => run.end({ schedule: cron, work: job.work }));
  const failures = ended.flatMap((run) => run.failures);
  const milliseconds = Math.round(performance.now() - startedAt);
  writeMetrics(
    env,
    { event: "run", program: DEFAULT_PROGRAM },
    {
      work: job.work,
      programs: begun,
      failures: failures.length,
      milliseconds,
      ...sumUp(ended),
    },
  );
  if (failures.length > 0) throw failures[0];
};

/** What the outboxes of all programs come to, or what has left them for history. */
function sumUp(ended: readonly { report: Report | null }[]): Drained & Pick<Sealed, "sealed" | "behindDays"> {
  const sum = { waiting: 0, oldestSeconds: 0, notified: 0, failed: 0, sealed: 0, behindDays: 0 };
  for (const { report } of ended) {
    if (report !== null && "sealed" in report) {
      sum.sealed += report.sealed;
      sum.behindDays = Math.max(sum.behindDays, report.behindDays);
    }
    if (report === null || !("waiting" in report)) continue;
    sum.waiting += report.waiting;
    sum.oldestSeconds = Math.max(sum.oldestSeconds, report.oldestSeconds);
    sum.notified += report.notified;
    sum.failed += report.failed;
  }
  return sum;
}

/** A job's run for one program. */
function runOf(job: Job, of: Of) {
  const { program } = of;
  let queries = 0;
  let milliseconds = 0;
  let report: Report | null = null;
  const failures: unknown[] = [];
  let turn: ReturnType<Job["begin"]> | undefined;

  const takeTurn = async (allowance: Allowance): Promise<Used> => {
    const database = countQueries(program.database, (count) => {
      queries += count;
    });
    turn ??= job.begin(new Database(database, "first-primary"), of);
    const [before, startedAt] = [queries, performance.now()];
    let outcome: Turn = { report: null, calls: 0, isDone: true };
    try {
      outcome = await turn(allowance);
      failures.push(...(outcome.failures ?? []));
    } catch (error) {
      failures.push(error);
    }
    milliseconds += performance.now() - startedAt;
    report = outcome.report ?? report;
    return { queries: queries - before, calls: outcome.calls ?? 0, isDone: outcome.isDone };
  };

  /** Logs what the run has come to, and returns that and what failed. */
  const end = (line: object) => {
    const named = { ...line, ...nameInLog(program) };
    if (report !== null) console.log(JSON.stringify({ ...named, ...report, milliseconds: Math.round(milliseconds) }));
    if (failures.length > 0)
      console.error(JSON.stringify({ ...named, error: "JOB_FAILED", fault: databaseFaultOf(failures[0]) }));
    return { report, failures };
  };
  return { takeTurn, end };
}
