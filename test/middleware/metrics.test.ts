import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { METRICS } from "../../src/middleware/metrics.ts";
import { TimedOut } from "../../src/values/timeout.ts";
import { as, feed, mustFeed, send } from "../support/api.ts";
import { asAt } from "../support/bindings.ts";
import { databaseThrough } from "../support/databases.ts";
import { outbox, pass, poll, pollUntilQuiet, reach, seedGroup } from "../support/listeners.ts";
import { type Point, recordMetrics } from "../support/metrics.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { setVariables } from "../support/variables.ts";

const MESSAGES = "/api/v1/customer/messages";
const COUPONS = "/api/v1/customer/coupons";
const LEADERBOARD = "/api/v1/customer/gamification/leaderboard";
const session = Object.getPrototypeOf(env.DB.withSession());

let points: Point[] = [];
beforeEach(() => {
  points = recordMetrics();
});

describe("the list of metrics", () => {
  it("fits into a data point, and has no name twice", ({ expect }) => {
    for (const { blobs, doubles } of Object.values(METRICS)) {
      const names = ["event", "version", ...blobs, ...doubles];

      expect(blobs.length + 2).toBeLessThanOrEqual(20);
      expect(doubles.length).toBeLessThanOrEqual(20);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe("a request", () => {
  it("writes one point, with the metrics of the list", async ({ expect }) => {
    const DB = databaseThrough(async ({ send }) => {
      const results = await send();
      const meta = { served_by_region: "WEUR", served_by_primary: false, total_attempts: 3 };
      for (const result of results) Object.assign(result.meta, meta);
      return results;
    });

    await asAt({ DB }, "nobody").get(`${COUPONS}?search=somebody`);

    expect(points).toEqual([
      {
        index: "request",
        event: "request",
        version: expect.any(String),
        method: "GET",
        route: COUPONS,
        error: "NO_ITEMS",
        source: "replica",
        region: "WEUR",
        fault: "",
        status: 200,
        milliseconds: expect.any(Number),
        d1Milliseconds: expect.any(Number),
        roundTrips: 1,
        attempts: 3,
        primary: 0,
        rowsRead: expect.any(Number),
        rowsWritten: 0,
        databaseBytes: expect.any(Number),
        boardAgeSeconds: -1,
      },
    ]);
    expect(points[0]?.databaseBytes).toBeGreaterThan(100_000);
  });

  it("that the inbox answers says so, and that D1 was not asked", async ({ expect }) => {
    const { reader } = await seedGroup();
    await pollUntilQuiet(reader);
    points.length = 0;

    await poll(reader);

    expect(points).toMatchObject([{ route: MESSAGES, source: "inbox", roundTrips: 0, attempts: 0, databaseBytes: 0 }]);
  });

  it("for a leaderboard says where the board was found, and how old it was", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    points.length = 0;

    await as("nobody").post(LEADERBOARD, { location_id: store.id });
    await as("nobody").post(LEADERBOARD, { location_id: store.id });

    expect(points).toMatchObject([
      { source: "primary", primary: 1, roundTrips: 1, boardAgeSeconds: expect.any(Number) },
      { source: "memory", roundTrips: 0, boardAgeSeconds: expect.any(Number) },
    ]);
    expect(Number(points[0]?.boardAgeSeconds)).toBeGreaterThanOrEqual(0);
  });

  it("that is refused writes one point too, with its error code and without an unknown path", async ({ expect }) => {
    await send("/api/v1/customer/somebody-known");
    await send(COUPONS);
    await feed([{ record: "nothing" }]);

    expect(points).toMatchObject([
      { error: "NOT_FOUND", status: 404, source: "" },
      { error: "UNAUTHENTICATED", status: 401, source: "" },
      { event: "request", status: 422 },
    ]);
    expect(JSON.stringify(points)).not.toContain("somebody-known");
  });

  it.for([
    ["Network connection lost.", "lost"],
    ["D1 DB reset because its code was updated.", "reset"],
    ["D1 DB's isolate exceeded its memory limit and was reset.", "exceeded"],
    ["Your account has exceeded D1's free tier daily row read limit.", "daily_limit"],
    ["D1 DB is overloaded. Requests queued for too long.", "overloaded"],
    ["Exceeded maximum DB size", "full"],
    ["Something that nobody has written down.", "unknown"],
  ])("that fails with D1's error %j names the fault: %s", async ([message, fault], { expect }) => {
    vi.spyOn(session, "batch").mockRejectedValue(new Error(`D1_ERROR: ${message}`));
    const log = vi.spyOn(console, "log").mockReturnValue();

    const answer = await feed([seed.customer()]);

    expect(answer.status).toBe({ full: 507, exceeded: 413 }[fault ?? ""] ?? 503);
    expect(points).toMatchObject([{ event: "request", fault, attempts: 1 }]);
    const cause = fault === "exceeded" ? "DatabaseUnavailable" : "Error";
    expect(JSON.parse(String(log.mock.lastCall))).toMatchObject({ fault, cause });
  });

  it("that D1 does not answer in time names the fault `stalled`", async ({ expect }) => {
    vi.spyOn(session, "batch").mockRejectedValueOnce(new TimedOut(5_000));

    expect((await as("nobody").get(COUPONS)).status).toBe(503);
    expect(points).toMatchObject([{ fault: "stalled", status: 503 }]);
  });

  it("writes nothing without a dataset", async ({ expect }) => {
    setVariables({ METRICS: undefined });

    expect((await as("nobody").get(COUPONS)).status).toBe(200);
    expect(points).toEqual([]);
  });
});

describe("a feed", () => {
  it("writes a point of its own, with its lines and the changes for listeners", async ({ expect }) => {
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    const unknown = seed.deleted("customer", { id: "never-fed" });
    points.length = 0;

    await mustFeed([seed.message(group, writer), unknown]);

    expect(points.map(({ event }) => event)).toEqual(["feed", "request"]);
    expect(points[0]).toMatchObject({ index: "feed", accepted: 1, ignored: 1, changes: 1 });
    expect(points[0]?.rowsWritten).toBe(points[1]?.rowsWritten);
  });

  it("writes a point of its delivery: who was reached, and how long after the commit", async ({ expect }) => {
    const groups = [await seedGroup(), await seedGroup()];
    for (const { reader } of groups) await pollUntilQuiet(reader);
    const [broken] = groups;
    reach((customerId) => customerId !== broken?.reader);
    points.length = 0;

    await mustFeed(groups.map(({ group }) => seed.deleted("message_group", { id: group })));

    const delivery = points.filter(({ event }) => event === "delivery");
    expect(delivery).toMatchObject([{ by: "feed", reached: 1, unreached: 1, milliseconds: expect.any(Number) }]);
  });
});

describe("a scheduled run", () => {
  it("writes a point even if there was nothing to do", async ({ expect }) => {
    await runSchedule("remove former listeners");

    expect(points).toEqual([
      expect.objectContaining({ work: "notify inboxes" }),
      {
        index: "run",
        event: "run",
        version: expect.any(String),
        work: "remove former listeners",
        failures: 0,
        milliseconds: expect.any(Number),
        waiting: 0,
        oldestSeconds: 0,
        notified: 0,
        failed: 0,
        deleted: 0,
      },
    ]);
  });

  it("notifies of changes older than thirty seconds, and says how many waited, how old the oldest was, how many were notified, and how late", async ({
    expect,
  }) => {
    // Earlier tests have left changes.
    await rows("DELETE FROM outbox");
    vi.useFakeTimers({ toFake: ["Date"] });
    await pass(7_200);
    const { reader, writer, group } = await seedGroup();
    await pollUntilQuiet(reader);
    reach(() => false);
    await mustFeed([seed.message(group, writer)]);
    await pass(30);
    await mustFeed([seed.message(group, writer)]);
    await pass(30);
    points.length = 0;

    await runSchedule();
    await pass(1);
    reach(() => true);
    await runSchedule();
    await runSchedule();

    expect(points).toMatchObject([
      { by: "schedule", reached: 0, unreached: 1, milliseconds: 60_000 },
      { work: "notify inboxes", waiting: 2, oldestSeconds: 60, notified: 0, failed: 1 },
      { by: "schedule", reached: 1, unreached: 0, milliseconds: 61_000 },
      { waiting: 2, oldestSeconds: 61, notified: 2, failed: 0 },
      { waiting: 0, oldestSeconds: 0, notified: 0, failed: 0 },
    ]);
    expect(await outbox()).toEqual([]);
  });

  it("that fails writes how many failures there were", async ({ expect }) => {
    vi.spyOn(session, "batch").mockRejectedValue(new Error("D1_ERROR: D1 DB is overloaded."));

    await expect(runSchedule()).rejects.toThrow();

    expect(points).toMatchObject([{ failures: 1 }]);
  });
});
