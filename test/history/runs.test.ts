import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mustFeed, restore } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { recordMetrics } from "../support/metrics.ts";
import { rows, value } from "../support/state.ts";
import {
  bucketWith,
  FIRST_KEPT_SECOND,
  feedOld,
  goTo,
  keepMonths,
  LAST_LEAVING_SECOND,
  seal,
  sealedEntries,
  sealInPart,
  segments,
  setUpHistory,
  shop,
  snapshotOfEvents,
  storedIds,
} from "./support.ts";

// docs/contract/history.md, 1 and 2. In the simulation, runs fail at any write.

beforeEach(setUpHistory);

const failToPut = () => Promise.reject(new Error("put: Unspecified error (0)"));

describe("a run", () => {
  it("leaves a line in the log and a point of metrics; the next has nothing to do until the month is over", async ({
    expect,
  }) => {
    const { lines, entry, play } = shop();
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND), play("1", LAST_LEAVING_SECOND));
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const points = recordMetrics();

    await seal();
    await seal();

    const bytes = await value("SELECT sum(bytes) FROM history_segments");
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        work: "seal history",
        milliseconds: expect.any(Number),
        segments: 2,
        sealed: 2,
        bytes,
        behindDays: 0,
      },
    ]);
    expect(points.filter(({ work }) => work === "seal history")).toMatchObject([
      { failures: 0, sealed: 2, behindDays: 0 },
      { sealed: 0, failures: 0 },
    ]);
  });

  it("is not behind as long as each night moves some events", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, ...Array.from({ length: 6 }, () => entry("5.00", LAST_LEAVING_SECOND)));
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
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND));
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const points = recordMetrics();
    keepMonths(1, bucketWith({ put: failToPut }));

    for (const day of ["06-28", "06-30", "07-01", "07-02"]) {
      await goTo(`2026-${day} 07:00:00`);
      await expect(seal()).rejects.toThrow("Unspecified");
    }

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

  it("goes on with the other kinds if one kind fails, and the next run seals that kind too", async ({ expect }) => {
    const { lines, entry, play } = shop();
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND), play("1", LAST_LEAVING_SECOND));
    const put = async (...args: Parameters<R2Bucket["put"]>) =>
      args[0].includes("balance_entry") ? failToPut() : env.TEST_HISTORY.put(...args);
    keepMonths(1, bucketWith({ put }));

    await expect(seal()).rejects.toThrow("Unspecified");
    const kindsOfFirstRun = (await segments()).map(({ kind }) => kind);
    keepMonths(1);
    await seal();

    expect(kindsOfFirstRun).toEqual(["play"]);
    expect((await segments()).map(({ kind }) => kind)).toEqual(["balance_entry", "play"]);
  });

  it.for([
    ["a run of the next month that fails", "2026-07-01 07:00:00", failToPut],
    ["another run of its month", "2026-06-10 07:01:00", undefined],
  ] as const)("that is slow does not set back the scan of %s", async ([, now, put], { expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND), entry("6.00", LAST_LEAVING_SECOND));
    const [scanBegun, scanHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const database = databaseThrough(async ({ sql, send }) => {
      if (sql.some((text) => text.includes("SELECT id FROM balance_entries"))) {
        scanBegun.resolve();
        await scanHeld.promise;
      }
      return send();
    });
    const slowRun = sealInPart(1, 1, { database });
    await scanBegun.promise;
    await goTo(now);
    await sealInPart(1, 1, put && { bucket: bucketWith({ put }) as R2Bucket });
    const scans = () => rows("SELECT month, last_id FROM history_scans ORDER BY kind");
    const scansBefore = await scans();

    scanHeld.resolve();
    await slowRun;

    expect(await scans()).toEqual(scansBefore);
    expect(await storedIds()).toHaveLength(put === undefined ? 0 : 1);
  });
});

describe("a step", () => {
  beforeEach(async () => {
    const { lines, entry } = shop();
    await feedOld(
      ...lines,
      entry("5.00", LAST_LEAVING_SECOND),
      entry("7.00", LAST_LEAVING_SECOND),
      entry("1.00", FIRST_KEPT_SECOND),
    );
  });

  it.for([
    ["an event of the object is no longer stored", "DELETE FROM balance_entries WHERE amount = 700"],
    [
      "a new event is stored that the object does not have",
      `INSERT INTO balance_entries SELECT min(id) || '+', customer_key, store_key, NULL, 300, created_at, ''
      FROM balance_entries WHERE created_at < '${FIRST_KEPT_SECOND}'`,
    ],
  ] as const)("deletes no event if %s", async ([, change], { expect }) => {
    let snapshotBefore: unknown;
    const put = async (...args: Parameters<R2Bucket["put"]>) => {
      await rows(change);
      snapshotBefore = await snapshotOfEvents();
      return env.TEST_HISTORY.put(...args);
    };
    keepMonths(1, bucketWith({ put }));

    await expect(seal()).rejects.toThrow();

    expect(await snapshotOfEvents()).toEqual(snapshotBefore);
    expect([await segments(), await sealedEntries()]).toEqual([[], []]);
  });

  it("fails if R2 does not answer within ten seconds", async ({ expect }) => {
    const { setTimeout: realSetTimeout } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, milliseconds?: number) =>
      realSetTimeout(work, milliseconds === 10_000 ? 0 : milliseconds)) as typeof setTimeout);
    keepMonths(1, bucketWith({ put: () => new Promise(() => {}) }));

    await expect(seal()).rejects.toThrow("10000 ms");
  });
});

describe("a database that still takes restores", () => {
  it("keeps its events, because a restore that is repeated would count them again", async ({ expect }) => {
    const { lines, entry } = shop();
    await restore([...lines, entry("5.00", LAST_LEAVING_SECOND)]);

    await seal();
    const segmentsBefore = await segments();
    // The first request that is no restore ends the time of restores.
    await mustFeed([]);
    await seal();

    expect([segmentsBefore, await storedIds()]).toEqual([[], []]);
  });
});

describe("without valid settings", () => {
  it("nothing leaves, and the job is released at once", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND));
    keepMonths(undefined);
    const snapshotBefore = await snapshotOfEvents();
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await seal();

    // One batch claims the job, and one releases it.
    expect(batch).toHaveBeenCalledTimes(2);
    batch.mockRestore();
    expect(await snapshotOfEvents()).toEqual(snapshotBefore);
  });

  it("nothing leaves, and old events are taken", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(121);

    await mustFeed([...lines, entry("5.00", LAST_LEAVING_SECOND)]);
    await seal();

    expect(await segments()).toEqual([]);
  });
});
