import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { databaseThrough } from "../support/databases.ts";
import { recordMetrics, stopMetrics } from "../support/metrics.ts";
import { rows, value } from "../support/state.ts";
import {
  beginNight,
  bucketWith,
  endNight,
  feedOld,
  goTo,
  keepMonths,
  OLD,
  seal,
  sealInPart,
  segments,
  shop,
  storedIds,
} from "./support.ts";

// The log and the metrics of a run, and faults of one kind or of another run.

beforeEach(() => beginNight());
afterEach(endNight);

const broken = () => Promise.reject(new Error("put: Unspecified error (0)"));

describe("a run", () => {
  it("leaves a line in the log and a point of metrics; the next has nothing to do until the month is over", async ({
    expect,
  }) => {
    const { lines, entry, play } = shop();
    await feedOld(...lines, entry("5.00", OLD), play("1", OLD));
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const points = recordMetrics();

    await seal();
    await seal();

    stopMetrics();
    const bytes = await value("SELECT sum(bytes) FROM history_segments");
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        ...{ work: "seal history", milliseconds: expect.any(Number) },
        ...{ segments: 2, sealed: 2, bytes, behindDays: 0 },
      },
    ]);
    expect(points.filter(({ work }) => work === "seal history")).toMatchObject([
      { failures: 0, sealed: 2, behindDays: 0 },
      { sealed: 0, failures: 0 },
    ]);
  });

  it("that moves each night is not behind, however many nights it takes", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, ...Array.from({ length: 6 }, () => entry("5.00", OLD)));
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    for (const day of [10, 11, 12, 13, 14]) {
      await goTo(`2026-06-${day} 07:00:00`);
      await sealInPart(2);
    }

    expect(warn).not.toHaveBeenCalled();
    expect((await segments()).length).toBeGreaterThan(3);
  });

  it("warns of kinds that have been behind for three days, over the end of a month too", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("5.00", OLD));
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const points = recordMetrics();
    keepMonths(1, bucketWith({ put: broken }));

    for (const day of ["06-28", "06-30", "07-01", "07-02"]) {
      await goTo(`2026-${day} 07:00:00`);
      await expect(seal()).rejects.toThrow("Unspecified");
    }

    stopMetrics();
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { warning: "HISTORY_BEHIND", days: 3, kinds: ["balance_entry"] },
      { warning: "HISTORY_BEHIND", days: 4 },
    ]);
    const sealing = points.filter(({ work }) => work === "seal history");
    expect(sealing.map(({ behindDays, failures }) => [behindDays, failures])).toEqual([
      [0, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });

  it("goes on with the other kinds if one fails, and the next run with all", async ({ expect }) => {
    const { lines, entry, play } = shop();
    await feedOld(...lines, entry("5.00", OLD), play("1", OLD));
    const put = async (...given: Parameters<R2Bucket["put"]>) =>
      given[0].includes("balance_entry") ? broken() : env.TEST_HISTORY.put(...given);
    keepMonths(1, bucketWith({ put }));

    await expect(seal()).rejects.toThrow("Unspecified");
    const first = (await segments()).map(({ kind }) => kind);
    keepMonths(1);
    await seal();

    expect(first).toEqual(["play"]);
    expect((await segments()).map(({ kind }) => kind)).toEqual(["balance_entry", "play"]);
  });

  it("that began last month and is still at work moves no scan of this month", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("5.00", OLD), entry("6.00", OLD), entry("7.00", OLD));
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let looks = 0;
    const database = databaseThrough(async ({ sql, send }) => {
      looks += sql.some((one) => one.includes("SELECT id FROM balance_entries")) ? 1 : 0;
      if (looks === 2) {
        reached.resolve();
        await held.promise;
      }
      return send();
    });
    // One step for each kind, and a second step of the first kind.
    const straggler = sealInPart(5, 1, { database });
    await reached.promise;
    await goTo("2026-07-01 07:00:00");
    await sealInPart(1);
    const scans = () => rows("SELECT month, last_id FROM history_scans ORDER BY kind LIMIT 1");
    const before = await scans();

    held.resolve();
    await straggler;

    expect(await scans()).toEqual(before);
    expect((await segments()).map(({ month, number }) => [month, number])).toEqual([
      ["2026-05", 1],
      ["2026-05", 2],
      ["2026-06", 1],
    ]);
    expect(await storedIds()).toEqual([]);
  });
});
