import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { limitTo, NOW, names, returning, select } from "../db/select.ts";
import { jobs } from "../db/tables.ts";
import { type Backlog, selectBacklog } from "../inbox/outbox.ts";
import { JOBS, type Job } from "./jobs.ts";

/** Excludes jobs that a newer version of the Worker has added. */
const IS_KNOWN = sql`${jobs.name} IN (${sql.join(
  JOBS.map(({ name }) => sql`${name}`),
  sql`, `,
)})`;

/** Longer than Cloudflare lets a scheduled run take: 15 minutes. */
const LEASE_MINUTES = 16;

/** A claimed job. No other run takes it before the lease ends. */
export interface Claim {
  name: string;
  leaseUntil: string;
}

/**
 * Reads the outbox, and claims the unclaimed job that has been due for longest. Writes nothing if no job is due. If the
 * answer is lost, the job waits until its lease ends. Uses an UPDATE because a full database refuses an INSERT.
 */
export async function beginRun(db: Database): Promise<{ backlog: Backlog; claim: Claim | undefined }> {
  const { name, due_at: dueAt, lease_until: leaseUntil } = jobs;
  const [[backlog], [claim]] = await db.batch([
    selectBacklog(),
    returning(
      sql`UPDATE ${jobs} SET ${names(leaseUntil)} = datetime(${NOW}, ${`+${LEASE_MINUTES} minutes`})
        WHERE ${name} = (
          SELECT ${name} FROM ${jobs}
          WHERE ${IS_KNOWN} AND ${dueAt} <= ${NOW} AND ${leaseUntil} <= ${NOW}
          ORDER BY ${dueAt} ${limitTo(1)}
        )`,
      { name, leaseUntil },
    ),
  ]);
  if (backlog === undefined) throw new Error("The database does not count its outbox.");
  return { backlog, claim };
}

const UNFINISHED_AGAIN_MINUTES = 10;

/**
 * Releases a job and sets its next run. Does nothing if the lease has ended, because another run may have the job.
 */
export async function endJob(
  db: Database,
  { name, leaseUntil }: Claim,
  { from, everyMinutes, until = "24:00" }: Job,
  isUnfinished: boolean,
): Promise<void> {
  const start = sql`unixepoch(${`1970-01-01 ${from}`})`;
  // D1 binds every number as REAL, but this must be an integer division.
  const period = sql.raw(String(everyMinutes * 60));
  const next = sql`datetime((unixepoch(${NOW}) - ${start}) / ${period} * ${period} + ${period} + ${start}, 'unixepoch')`;
  const soon = sql`datetime(${NOW}, ${`+${UNFINISHED_AGAIN_MINUTES} minutes`})`;
  await db.batch([
    sql`UPDATE ${jobs} SET ${names(jobs.lease_until)} = '',
        ${names(jobs.due_at)} = iif(${isUnfinished ? 1 : 0} AND strftime('%H:%M', ${soon}) <= ${until}, ${soon}, ${next})
      WHERE ${jobs.name} = ${name} AND ${jobs.lease_until} = ${leaseUntil}`,
  ]);
}

/** Longer than the lease of a failed run and the next run together, so one failed run makes no job overdue. */
const OVERDUE_MINUTES = 30;

/** The names of jobs that have been due for half an hour. */
export async function findOverdueJobs(db: Database): Promise<string[]> {
  const overdue = await db.all(
    select(
      { name: jobs.name },
      sql`FROM ${jobs} WHERE ${IS_KNOWN}
        AND ${jobs.due_at} < (SELECT datetime(now, ${`-${OVERDUE_MINUTES} minutes`}) FROM clock)`,
    ),
  );
  return overdue.map(({ name }) => name);
}

/** A statement that reads a JSON text and no table. */
export function countItems(text: string): SQL<{ items: number }> {
  return sql`SELECT count(*) AS items FROM json_each(${text})`;
}

/** A write that changes nothing. */
export async function rewriteJobs(db: Database): Promise<void> {
  await db.steps({ same: [sql`UPDATE ${jobs} SET ${names(jobs.due_at)} = ${jobs.due_at}`] });
}
