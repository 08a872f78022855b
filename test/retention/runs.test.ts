import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mustFeed, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { recordMetrics } from "../support/metrics.ts";
import { rows } from "../support/state.ts";
import { setVariables } from "../support/variables.ts";
import {
  addUp,
  addUpInPart,
  entrySummaries,
  goTo,
  keepMonths,
  LAST_OLD_SECOND,
  setUpRetention,
  shop,
  storedIds,
} from "./support.ts";

// The job that adds up old events (docs/contract/retention.md, 2). In the simulation, runs fail at any write.

beforeEach(setUpRetention);

/** Runs the job, but loses the connection of the steps of a kind before they are sent. */
async function addUpWithout(table: string): Promise<void> {
  const { DB } = env;
  const database = databaseThrough(async ({ sql, send }) => {
    if (sql.some((text) => text.includes(`DELETE FROM ${table}`))) throw new Error("Network connection lost.");
    return send();
  });
  setVariables({ DB: database });
  await addUp().finally(() => setVariables({ DB }));
}

describe("a run", () => {
  it("leaves a line in the log and a point of metrics", async ({ expect }) => {
    const { lines, entry, play } = shop();
    await mustFeed([...lines, entry("5.00", LAST_OLD_SECOND), play("1", LAST_OLD_SECOND)]);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const points = recordMetrics();

    await addUp();
    await addUp();

    const lineOf = (deleted: number) => ({ work: "add up old events", milliseconds: expect.any(Number), deleted });
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([lineOf(2), lineOf(0)]);
    expect(points.filter(({ work }) => work === "add up old events")).toMatchObject([
      { failures: 0, deleted: 2 },
      { failures: 0, deleted: 0 },
    ]);
  });

  it("goes on with the other kinds if one kind fails, and the next run adds up that kind too", async ({ expect }) => {
    const { lines, entry, play } = shop();
    const [oldEntry, oldPlay] = [entry("5.00", LAST_OLD_SECOND), play("1", LAST_OLD_SECOND)];
    await mustFeed([...lines, oldEntry, oldPlay]);

    await expect(addUpWithout("balance_entries")).rejects.toThrow("cannot be reached");
    const idsAfterFirstRun = await storedIds();
    await addUp();

    expect(idsAfterFirstRun).toEqual([oldEntry.id]);
    expect(await storedIds()).toEqual([]);
  });

  it("that is slow adds up nothing twice, although another month has begun", async ({ expect }) => {
    const { lines, entry } = shop();
    const amounts = ["1.00", "2.00", "4.00", "8.00"];
    await mustFeed([...lines, ...amounts.map((amount) => entry(amount, LAST_OLD_SECOND))]);
    const [stepBegun, stepHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const database = databaseThrough(async ({ sql, send }) => {
      if (sql.some((text) => text.includes("DELETE FROM balance_entries"))) {
        stepBegun.resolve();
        await stepHeld.promise;
      }
      return send();
    });
    const slowRun = addUpInPart(1, 1, { database });
    await stepBegun.promise;
    await goTo("2026-07-01 07:00:00");
    await addUpInPart(1, 2);

    stepHeld.resolve();
    await slowRun;

    expect(await entrySummaries()).toMatchObject([{ amount: expect.any(Number) }]);
    const [sums] = await rows("SELECT sum(amount) AS amount, count(*) AS count FROM balance_entries");
    expect(sums).toEqual({ amount: 1_500, count: 2 });
  });
});

describe("a database that still takes restores", () => {
  it("keeps its events, because a restore that is repeated would count them again", async ({ expect }) => {
    const { lines, entry } = shop();
    await restore([...lines, entry("5.00", LAST_OLD_SECOND)]);

    await addUp();
    const idsBefore = await storedIds();
    // The first request that is no restore ends the time of restores.
    await mustFeed([]);
    await addUp();

    expect([idsBefore.length, await storedIds()]).toEqual([1, []]);
  });
});

describe("without valid months", () => {
  it.for(["", "121"])("nothing is deleted, and the job is released at once: %j", async (months, { expect }) => {
    const { lines, entry } = shop();
    await mustFeed([...lines, entry("5.00", LAST_OLD_SECOND)]);
    setVariables({ RETENTION_MONTHS: months });
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await addUp();

    // One batch claims the job, and one releases it.
    expect(batch).toHaveBeenCalledTimes(2);
    batch.mockRestore();
    expect(await storedIds()).toHaveLength(1);
    keepMonths(1);
  });
});
