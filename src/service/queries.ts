import { and, eq, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import { compileOnce, compilePer, type PlaceholderOf } from "../db/compile.ts";
import type { Database } from "../db/database.ts";
import { atMost, named, query } from "../db/query.ts";
import { fromNow, NOW } from "../db/select.ts";
import { jobs } from "../db/tables.ts";
import { type Backlog, selectBacklog } from "../inbox/outbox.ts";
import { programState } from "../records/program.ts";
import { JOBS, type Job } from "./jobs.ts";

/** Excludes jobs that a newer version of the Worker has added. */
const NAMES = JOBS.map(({ name }) => name);
const isKnown = inArray(jobs.name, NAMES);

/** Longer than Cloudflare lets a scheduled run take: 15 minutes. */
const LEASE_MINUTES = 16;

/** A claimed job. No other run takes it before the lease ends. */
export interface Claim {
  name: string;
  leaseUntil: string;
}

/**
 * Claims a job by a lease. Of two runs at once, the one that the primary takes first wins: the other then finds the lease, and
 * claims another job or none. It is an UPDATE, because a full database refuses an INSERT.
 */
const claimJob = compileOnce("jobs/claim", () => {
  const longestDue = query
    .select({ name: jobs.name })
    .from(jobs)
    .where(and(isKnown, lte(jobs.due_at, NOW), lte(jobs.lease_until, NOW)))
    .orderBy(jobs.due_at)
    .limit(atMost(1));
  return query
    .update(jobs)
    .set({ lease_until: fromNow(`+${LEASE_MINUTES} minutes`) })
    .where(eq(jobs.name, longestDue))
    .returning(named({ name: jobs.name, leaseUntil: jobs.lease_until }));
});

/**
 * Reads the outbox, and claims the unclaimed job that has been due for longest. Writes nothing if no job is due. If the
 * answer is lost, the job waits until its lease ends.
 */
export async function beginRun(db: Database): Promise<{ backlog: Backlog; claim: Claim | undefined }> {
  const [[backlog], [claim]] = await db.batch([selectBacklog(), claimJob()]);
  if (backlog === undefined) throw new Error("The database does not count its outbox.");
  return { backlog, claim };
}

const UNFINISHED_AGAIN_MINUTES = 10;

type End = Pick<Job, "from" | "everyMinutes" | "until"> & { isUnfinished: boolean };

const releaseJob = compilePer("jobs/release", (end: End, placeholder: PlaceholderOf<keyof Claim>) =>
  query
    .update(jobs)
    .set({ lease_until: "", due_at: nextRun(end) })
    .where(and(eq(jobs.name, placeholder("name")), eq(jobs.lease_until, placeholder("leaseUntil")))),
);

function nextRun({ from, everyMinutes, until = "24:00", isUnfinished }: End): SQL {
  const start = sql`unixepoch(${`1970-01-01 ${from}`})`;
  // D1 binds every number as REAL, but this must be an integer division.
  const period = sql.raw(String(everyMinutes * 60));
  const next = sql`datetime((unixepoch(${NOW}) - ${start}) / ${period} * ${period} + ${period} + ${start}, 'unixepoch')`;
  if (!isUnfinished) return next;
  const soon = fromNow(`+${UNFINISHED_AGAIN_MINUTES} minutes`);
  return sql`iif(strftime('%H:%M', ${soon}) <= ${until}, ${soon}, ${next})`;
}

/**
 * Releases a job and sets its next run. If the lease has ended and another run has claimed the job, that run wins: the lease
 * is another one, so this changes nothing.
 */
export async function endJob(db: Database, claim: Claim, { from, everyMinutes, until }: Job, isUnfinished: boolean) {
  const end = { from, everyMinutes, isUnfinished, ...(until !== undefined && { until }) };
  await db.batch([releaseJob(end, { ...claim })]);
}

/** Longer than the lease of a failed run and the next run together, so one failed run makes no job overdue. */
const OVERDUE_MINUTES = 30;

const selectOverdueJobs = compileOnce("jobs/overdue", () =>
  query
    .select({ name: jobs.name })
    .from(jobs)
    .where(and(isKnown, lt(jobs.due_at, fromNow(`-${OVERDUE_MINUTES} minutes`)))),
);

/** The names of jobs that have been due for half an hour, and the id of the database. One round trip. */
export async function findOverdueJobs(db: Database): Promise<{ overdue: string[]; databaseId: string }> {
  const { database_id } = programState;
  const [overdue, [state]] = await db.batch([selectOverdueJobs(), query.select({ database_id }).from(programState)]);
  return { overdue: overdue.map(({ name }) => name), databaseId: state?.database_id ?? "" };
}
