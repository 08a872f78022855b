import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import client from "../../client/package.json";
import packageJson from "../../package.json";
import { toAnswer } from "../../scripts/lib/call.ts";
import { clock } from "../../src/values/clock.ts";
import { send, trips } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";
import { databaseThrough } from "../support/databases.ts";
import { rows } from "../support/state.ts";
import { countOwnTime, passFakeTime, timed } from "../support/wait.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
let now = Date.now() + YEAR_MS;

/** Moves the Worker's clock on by a minute, so that the last result of /health is too old to be answered again. */
function passHealth(): void {
  now += 60_000;
  vi.spyOn(clock, "now").mockReturnValue(now);
}

beforeEach(passHealth);

const health = async (bindings: object) => toAnswer(await sendTo(bindings, "/health"));
const hangs = () => new Promise<never>(() => {});
const fails = () => Promise.reject(new Error("D1_ERROR: no such table"));

/** Bindings to a D1 that fails or hangs in sessions with these starts. */
const databaseThat = (answer: () => Promise<never>, ...starts: string[]) => ({
  DB: databaseThrough(({ start = "", send }) => (starts.includes(start) ? answer() : send())),
});
const cacheThat = (answer: () => Promise<never>) => ({ CACHE: { get: answer } });
const [PRIMARY, REPLICA] = ["first-primary", "first-unconstrained"];

describe("the client's package", () => {
  it("has the version of the service", ({ expect }) => {
    expect(client.version).toBe(packageJson.version);
  });
});

describe("GET /health", () => {
  it("says the version, and that D1 and KV answer, without a token and in two round trips", async ({ expect }) => {
    const answer = await send("/health");

    const program = { program: env.ENVIRONMENT, database_id: expect.stringMatching(/^[0-9a-f]{32}$/) };
    expect([answer.status, answer.body]).toEqual([
      200,
      { status: true, items: { version: packageJson.version, commit: "", database: "up", cache: "up", ...program } },
    ]);
    expect(trips(answer)).toBe(2);
  });

  it("says the commit of the deployed version", async ({ expect }) => {
    const { body } = await health({ CF_VERSION_METADATA: { id: "v", tag: "504a982d9179", timestamp: "" } });

    expect(body.items.commit).toBe("504a982d9179");
  });

  it.for<[string, object]>([
    [
      "The Worker lacks FAN_OUTS, CUSTOMER_LIMITER: deploy it again.",
      { FAN_OUTS: undefined, CUSTOMER_LIMITER: undefined },
    ],
    ["The cache cannot be reached.", cacheThat(fails)],
    [
      "The database and the cache cannot be reached.",
      { ...databaseThat(fails, PRIMARY, REPLICA), ...cacheThat(fails) },
    ],
    ["JWT_SECRET must be set.", { JWT_SECRET: "" }],
    ["FEED_JWT_SECRET must be set, and differ from JWT_SECRET and JWT_SECRET_PREVIOUS.", { FEED_JWT_SECRET: "" }],
    ["NEARBY_RADIUS_MILES must be a number of miles, above 0 and below 100,000.", { NEARBY_RADIUS_MILES: "lots" }],
  ])("answers 503 and says: %s", async ([message, bindings], { expect }) => {
    const answer = await health(bindings);

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "2"]);
    expect(answer.body).toEqual({ status: false, errorCode: "UNAVAILABLE", message });
  });

  it.for([
    ["cache", cacheThat(hangs)],
    ["primary of the database", databaseThat(hangs, PRIMARY)],
    ["replicas of the database", databaseThat(hangs, REPLICA)],
    ["database", databaseThat(hangs, PRIMARY, REPLICA)],
  ] as const)(
    "says within three seconds that it cannot reach the %s, which hangs",
    async ([name, bindings], { expect }) => {
      countOwnTime();
      const request = timed(health(bindings));
      await passFakeTime(2_500);
      const { value, milliseconds } = await request;

      expect([value.status, value.body.message]).toEqual([503, `The ${name} cannot be reached.`]);
      expect(milliseconds).toBeGreaterThan(2_400);
      expect(milliseconds).toBeLessThan(3_000);
    },
  );

  it("answers 503 and names the jobs that have been due for half an hour, except in development without a schedule", async ({
    expect,
  }) => {
    const statusAfter = async (minutes: number) => {
      await rows(
        `UPDATE jobs SET due_at = datetime('now', ?)
         WHERE name IN ('merge the search indexes', 'remove former listeners')`,
        `-${minutes} minutes`,
      );
      passHealth();
      return (await health({})).status;
    };

    const statuses = [await statusAfter(29), await statusAfter(31)];
    const { body } = await health({});
    const inDevelopment = await health({ ENVIRONMENT: "development" });

    expect([...statuses, inDevelopment.status]).toEqual([200, 503, 200]);
    expect(body).toMatchObject({
      errorCode: "UNAVAILABLE",
      message: "Overdue jobs: merge the search indexes, remove former listeners.",
    });
    await statusAfter(0);
  });

  it("remembers its answer for five seconds, good or bad", async ({ expect }) => {
    const now = clock.now();
    const statusAfter = async (seconds: number, bindings: object) => {
      vi.mocked(clock.now).mockReturnValue(now + seconds * 1_000);
      return (await health(bindings)).status;
    };
    const down = cacheThat(fails);

    const statuses = [await statusAfter(0, {}), await statusAfter(4.9, down), await statusAfter(5, down)];
    const later = [await statusAfter(9.9, {}), await statusAfter(10, {})];

    expect([...statuses, ...later]).toEqual([200, 200, 503, 503, 200]);
  });
});
