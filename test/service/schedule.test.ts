import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { Database, type Usage } from "../../src/db/database.ts";
import { JOBS, type Job, type JobOutcome } from "../../src/service/jobs.ts";
import { beginRun, type Claim, endJob } from "../../src/service/queries.ts";
import { stopClock } from "../support/clock.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { makeDue, runMinute, runSchedule } from "../support/schedule.ts";
import { rows, snapshot, value } from "../support/state.ts";

const DONE: JobOutcome = { report: null };
const DAILY = [
  "remove old changes",
  "remove ended holds",
  "remove former listeners",
  "remove words from the search",
  "merge the search indexes",
  "add up old events",
];
const MERGE = "merge the search indexes";

const today = (time: string) => `2026-06-10 ${time}`;
const dueAt = (name: string) => value("SELECT due_at FROM jobs WHERE name = ?", name);

/** Runs the schedule at a time of D1's clock. */
async function runAt(now: string): Promise<void> {
  await stopClock(now);
  await runMinute();
}

/** Replaces the work of all jobs. Returns a list to which each job adds its name when it runs. */
function replaceJobs(run: (name: string) => Promise<JobOutcome> = async () => DONE): string[] {
  const doneJobs: string[] = [];
  for (const job of JOBS)
    vi.spyOn(job, "run").mockImplementation(async () => {
      doneJobs.push(job.name);
      return run(job.name);
    });
  return doneJobs;
}

/** It is 05:00 on June 10. All jobs were done at midnight. */
beforeEach(async () => {
  await freshDatabase(today("00:00:00"));
  await rows("UPDATE jobs SET due_at = ''");
  replaceJobs();
  for (const _ of JOBS) await runMinute();
  vi.restoreAllMocks();
  await stopClock(today("05:00:00"));
});

describe("the list of jobs", () => {
  it("has the jobs that the migration inserts", async ({ expect }) => {
    const storedNames = (await rows("SELECT name FROM jobs")).map(({ name }) => name);

    expect(JOBS.map(({ name }) => name).toSorted()).toEqual(storedNames);
  });
});

describe("a minute in which nothing is due", () => {
  it("is one round trip to D1, which reads 18 rows and writes none", async ({ expect }) => {
    await stopClock(today("00:01:00"));
    const snapshotBefore = await snapshot();
    const usages: Usage[] = [];
    const batch = Database.prototype.batch;
    vi.spyOn(Database.prototype, "batch").mockImplementation(async function (this: Database, statements) {
      const found = await batch.call(this, statements);
      usages.push(this.usage);
      return found as never;
    });

    await runMinute();

    expect(usages).toMatchObject([{ roundTrips: 1, rowsRead: 18, rowsWritten: 0 }]);
    expect(await snapshot()).toBe(snapshotBefore);
  });
});

describe("a daily job", () => {
  it.for([
    ["remove old changes", "05:00:00"],
    ["remove ended holds", "05:15:00"],
    ["remove former listeners", "05:30:00"],
    ["remove words from the search", "05:45:00"],
    ["merge the search indexes", "06:00:00"],
    ["add up old events", "07:00:00"],
  ] as const)("is done once a day, at its time: %s at %s", async ([name, time], { expect }) => {
    expect(await dueAt(name)).toBe(today(time));
    await makeDue(name);
    const doneJobs = replaceJobs();

    await runAt(today(time));
    await runAt(today("23:59:00"));

    expect(doneJobs).toEqual([name]);
    expect(await dueAt(name)).toBe(`2026-06-11 ${time}`);
  });

  it("is done once after several missed days", async ({ expect }) => {
    const doneJobs = replaceJobs();

    for (const minute of ["00", "01", "02", "03", "04", "05", "06", "07", "08"])
      await runAt(`2026-06-14 12:${minute}:00`);

    expect(doneJobs).toEqual(["check in", ...DAILY]);
    expect(await Promise.all(DAILY.map(dueAt))).toEqual([
      "2026-06-15 05:00:00",
      "2026-06-15 05:15:00",
      "2026-06-15 05:30:00",
      "2026-06-15 05:45:00",
      "2026-06-15 06:00:00",
      "2026-06-15 07:00:00",
    ]);
  });
});

describe("a job that fails", () => {
  it("is repeated after its lease, and not before", async ({ expect }) => {
    await makeDue(MERGE);
    const doneJobs = replaceJobs(async () => Promise.reject(new Error("a bug")));
    vi.spyOn(console, "error").mockReturnValue();

    await expect(runMinute()).rejects.toThrow("a bug");
    await runAt(today("05:15:00"));
    const doneDuringLease = [...doneJobs];
    await expect(runAt(today("05:16:00"))).rejects.toThrow("a bug");

    expect(doneDuringLease).toEqual([MERGE]);
    expect(doneJobs).toEqual([MERGE, MERGE]);
  });

  it("does not delay other jobs", async ({ expect }) => {
    const doneJobs = replaceJobs(async (name) => (name === "check in" ? Promise.reject(new Error("a bug")) : DONE));
    vi.spyOn(console, "error").mockReturnValue();

    await expect(runAt(today("12:00:00"))).rejects.toThrow("a bug");
    await runAt(today("12:01:00"));

    expect(doneJobs).toEqual(["check in", "remove old changes"]);
  });

  it("is not released by an earlier run whose lease is over", async ({ expect }) => {
    await makeDue(MERGE);
    const job = JOBS.find(({ name }) => name === MERGE) as Job;
    const db = new Database(env.DB, "first-primary");
    const { claim: firstClaim } = await beginRun(db);
    await stopClock(today("05:17:00"));
    await beginRun(db);

    await endJob(db, firstClaim as Claim, job, false);

    expect(firstClaim?.leaseUntil).toBe(today("05:16:00"));
    expect(await value("SELECT lease_until FROM jobs WHERE name = ?", MERGE)).toBe(today("05:33:00"));
  });
});

describe("a job that is not finished", () => {
  it.for([
    ["ten minutes later", MERGE, "20:00:00", "2026-06-10 20:10:00"],
    ["ten minutes later", "add up old events", "10:40:00", "2026-06-10 10:50:00"],
    ["the next day if ten minutes later is after 10:50", "add up old events", "10:41:00", "2026-06-11 07:00:00"],
  ] as const)("continues %s: %s at %s", async ([, name, time, expectedDueAt], { expect }) => {
    await makeDue(name);
    replaceJobs(async () => ({ report: null, isUnfinished: true }));

    await runAt(today(time));

    expect(await dueAt(name)).toBe(expectedDueAt);
  });
});

describe("a run", () => {
  it("logs a line for each job that it has done", async ({ expect }) => {
    await makeDue(MERGE);
    const log = vi.spyOn(console, "log").mockReturnValue();

    await runMinute();

    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { work: MERGE, merges: 3, unfinished: [], milliseconds: expect.any(Number) },
    ]);
  });

  it("logs the name and the rule of a wrong variable", async ({ expect }) => {
    const logError = vi.spyOn(console, "error").mockReturnValue();

    await runMinute({ ...env, NEARBY_RADIUS_MILES: "lots" as "25" });
    await runSchedule();

    expect(logError.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        error: "VARIABLE_WRONG",
        name: "NEARBY_RADIUS_MILES",
        must: "be a number of miles, above 0 and below 100,000",
      },
    ]);
  });

  it("takes the job that has been due for longest, and no job that only another version of the Worker knows", async ({
    expect,
  }) => {
    await makeDue();
    await rows("UPDATE jobs SET due_at = ? WHERE name = 'check in'", today("04:58:00"));
    await rows("UPDATE jobs SET due_at = ? WHERE name = ?", today("04:57:00"), MERGE);
    await rows("INSERT INTO jobs (name, due_at, lease_until) VALUES ('a job of tomorrow', '', '')");

    const { claim } = await beginRun(new Database(env.DB, "first-primary"));

    expect(claim?.name).toBe(MERGE);
  });
});
