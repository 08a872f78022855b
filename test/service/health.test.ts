import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import packageJson from "../../package.json";
import { toAnswer } from "../../scripts/lib/call.ts";
import { Database } from "../../src/db/database.ts";
import { HealthCheck } from "../../src/service/health.ts";
import { clock } from "../../src/values/clock.ts";
import { send, trips } from "../support/api.ts";
import { databaseThrough, stallingDatabase } from "../support/databases.ts";
import { passHealth } from "../support/health.ts";
import { sendTo, timed } from "../support/stalling.ts";
import { rows } from "../support/state.ts";
import { exportToken } from "../support/tokens.ts";
import { countOwnTime, passOwnTime } from "../support/wait.ts";

beforeEach(() => passHealth());
afterEach(() => vi.restoreAllMocks());

const health = async (bindings: object) => toAnswer(await sendTo(bindings, "/health"));

describe("GET /health", () => {
  it("says the version, and that D1 and KV answer, without a token, in a round trip to the primary and one to a replica", async ({
    expect,
  }) => {
    const answer = await send("/health");

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      items: { version: packageJson.version, database: "up", cache: "up" },
    });
    expect(trips(answer)).toBe(2);
  });

  it("answers 503 and names what does not answer", async ({ expect }) => {
    const database = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    database.mockRejectedValue(new Error("D1_ERROR: no such table"));
    const cache = vi.spyOn(Object.getPrototypeOf(env.CACHE), "get").mockRejectedValue(new Error("KV GET failed: 500"));

    const both = await send("/health");
    database.mockRestore();
    passHealth();
    const one = await send("/health");
    cache.mockRestore();

    expect([both.status, one.status]).toEqual([503, 503]);
    expect(both.headers.get("Retry-After")).toBe("2");
    expect(both.body).toEqual({
      status: false,
      errorCode: "UNAVAILABLE",
      message: "The database and the cache cannot be reached.",
    });
    expect(one.body.message).toBe("The cache cannot be reached.");
  });

  it("answers 503 and names a variable that is wrong, without its value", async ({ expect }) => {
    const answer = await health({ NEARBY_RADIUS_MILES: "lots" });

    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({
      status: false,
      errorCode: "UNAVAILABLE",
      message: "NEARBY_RADIUS_MILES must be a number of miles, above 0 and below 100,000.",
    });
  });

  it("answers 503 and names the jobs that have been due for half an hour, but not where no schedule runs", async ({
    expect,
  }) => {
    const makeDue = (minutes: number) =>
      rows("UPDATE jobs SET due_at = datetime('now', ?) WHERE name LIKE 'merge%'", `-${minutes} minutes`);
    const statuses: number[] = [];
    for (const minutes of [29, 31]) {
      await makeDue(minutes);
      passHealth();
      statuses.push((await health({})).status);
    }

    const answer = await health({});

    expect(statuses).toEqual([200, 503]);
    expect(answer.body).toMatchObject({ errorCode: "UNAVAILABLE", message: "Overdue jobs: merge the search indexes." });
    expect((await health({ ENVIRONMENT: "development" })).status).toBe(200);
    await makeDue(0);
  });

  it("names every job where the schedule has never run", async ({ expect }) => {
    await rows("UPDATE jobs SET due_at = datetime(due_at, '-31 minutes')");

    const answer = await health({});

    expect(answer.body.message).toMatch(/^Overdue jobs: check in, .+, .+, .+\.$/);
    await rows("UPDATE jobs SET due_at = datetime(due_at, '+31 minutes')");
  });

  it.for([
    ["cache", { CACHE: { get: () => new Promise(() => {}) } }],
    ["primary of the database", stalled("first-primary")],
    ["replicas of the database", stalled("first-unconstrained")],
    ["database", stalled("first-primary", "first-unconstrained")],
  ] as const)("says within three seconds that the %s hangs", async ([name, bindings], { expect }) => {
    countOwnTime();
    const asking = timed(health(bindings));
    await passOwnTime(2_500);
    const { value, milliseconds } = await asking;

    expect([value.status, value.body.message]).toEqual([503, `The ${name} cannot be reached.`]);
    expect(milliseconds).toBeGreaterThan(2_400);
    expect(milliseconds).toBeLessThan(3_000);
  });

  it("says so at once where the primary is known to stall, and that it is back", async ({ expect }) => {
    countOwnTime();
    const { primary, DB } = stallingDatabase();
    primary.isStalled = true;
    const stalling = Promise.all([stallingFor(5_000, DB), stallingFor(5_000, DB)]);
    await passOwnTime(5_000);
    await stalling;

    const ill = await timed(health({ DB }));
    primary.isStalled = false;
    await passOwnTime(2_000);
    passHealth();

    expect(ill.value.body.message).toBe("The primary of the database cannot be reached.");
    expect(ill.milliseconds).toBeLessThan(250);
    expect((await health({ DB })).status).toBe(200);
  });

  it("answers 503 at once where the cache is not bound", async ({ expect }) => {
    const answer = await health({ CACHE: undefined });

    expect([answer.status, answer.body.message]).toEqual([503, "The cache cannot be reached."]);
  });

  it("fails if a check fails, and does not try for ever", async ({ expect }) => {
    vi.spyOn(Promise, "all").mockRejectedValueOnce(new Error("a bug"));

    const check = new HealthCheck().run({ ...bothDatabases(), kv: env.CACHE }, () => {});

    await expect(check).rejects.toThrow("a bug");
  });

  it("asks D1 twice for any number of requests at once", async ({ expect }) => {
    let calls = 0;
    const DB = databaseThrough(async ({ send }) => {
      calls += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return send();
    });

    const answers = await Promise.all(Array.from({ length: 50 }, () => health({ DB })));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(calls).toBe(2);
  });

  it("waits for three seconds at most for the look of another request, which may never end", async ({ expect }) => {
    countOwnTime();
    const hanging = { DB: databaseThrough(() => new Promise(() => {})), CACHE: { get: () => new Promise(() => {}) } };
    const [passed, from] = [clock.now(), Date.now()];
    vi.mocked(clock.now).mockImplementation(() => passed + Date.now() - from);
    const timer = vi.spyOn(globalThis, "setTimeout").mockReturnValue(0 as never);
    void health(hanging);
    await scheduler.wait(50);
    timer.mockRestore();

    const asking = timed(health({}));
    await passOwnTime(3_000);
    const { value, milliseconds } = await asking;

    expect(value.status).toBe(200);
    expect(milliseconds).toBeLessThan(3_500);
  });

  it("remembers its answer for five seconds, good or bad", async ({ expect }) => {
    const now = clock.now();
    const down = { DB: { withSession: () => ({ prepare: () => ({}) }) } };
    const statusAfter = async (seconds: number, bindings: object) => {
      vi.mocked(clock.now).mockReturnValue(now + seconds * 1_000);
      return (await health(bindings)).status;
    };

    expect(await statusAfter(0, {})).toBe(200);
    expect(await statusAfter(4.9, down)).toBe(200);
    expect(await statusAfter(5, down)).toBe(503);
    expect(await statusAfter(9.9, {})).toBe(503);
    expect(await statusAfter(10, {})).toBe(200);
  });
});

function bothDatabases() {
  return { primary: new Database(env.DB, "first-primary"), nearest: new Database(env.DB, "first-unconstrained") };
}

/** A D1 whose sessions that begin there say nothing. */
function stalled(...starts: string[]) {
  return { DB: databaseThrough(({ start = "", send }) => (starts.includes(start) ? new Promise(() => {}) : send())) };
}

/** A read of the primary that is given up after so long. */
async function stallingFor(milliseconds: number, DB: D1Database): Promise<void> {
  const { milliseconds: taken } = await timed(sendTo({ DB }, "/api/v1/feed?record=store", await exporting()));
  if (taken < milliseconds - 100) throw new Error(`it was given up after ${taken} ms`);
}

async function exporting() {
  return { headers: { Authorization: `Bearer ${await exportToken()}` } };
}
