import { afterEach, describe, it, vi } from "vitest";
import { LogSample, readLogSample } from "../../src/middleware/log-sample.ts";
import { as, mustFeed, send } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { setVariables } from "../support/variables.ts";

const COUPONS = "/api/v1/customer/coupons";
const QUIET = { status: 200, milliseconds: 12, attempts: 1, rowsWritten: 0, kind: "GET coupons" };

afterEach(() => {
  setVariables({ LOG_SAMPLE: "1" });
  vi.restoreAllMocks();
});

describe("the sample of log lines", () => {
  it.for([
    ["a failure", { status: 401 }],
    ["a slow request", { milliseconds: 500 }],
    ["a write", { rowsWritten: 1 }],
    ["what D1 was asked twice for", { attempts: 2 }],
  ] as const)("has %s always, which stands for itself", ([, unusual], { expect }) => {
    const sample = new LogSample(() => 0.999);
    sample.standsFor(QUIET, 20);

    expect(sample.standsFor({ ...QUIET, ...unusual }, 20)).toBe(1);
    expect(sample.standsFor(QUIET, 20)).toBe(0);
  });

  it("has the first success of each kind, once", ({ expect }) => {
    const sample = new LogSample(() => 0.999);

    const lines = ["a", "a", "b", "b", "a"].map((kind) => sample.standsFor({ ...QUIET, kind }, 20));

    expect(lines).toEqual([1, 0, 1, 0, 0]);
  });

  it("comes to as many requests as there were", ({ expect }) => {
    // Each twentieth of all chances as often as any other.
    const chances = Array.from({ length: 20_000 }, (_, index) => (index % 1_000) / 1_000).values();
    const sample = new LogSample(() => chances.next().value ?? 0);

    const lines = Array.from({ length: 20_001 }, () => sample.standsFor(QUIET, 20)).filter((line) => line > 0);

    expect(lines).toHaveLength(1_001);
    expect(lines.reduce((sum, line) => sum + line, 0)).toBe(20_001);
  });

  it.for([
    ["1", 1],
    ["1000", 1_000],
    ["", 20],
    ["0", 20],
    ["0.05", 20],
    ["often", 20],
  ] as const)("is one in LOG_SAMPLE, a whole number from 1, else in twenty: %j", ([LOG_SAMPLE, oneIn], { expect }) => {
    expect(readLogSample({ LOG_SAMPLE })).toBe(oneIn);
  });
});

describe("the log", () => {
  it("has a line of some quick successes, and of every failure and every feed", async ({ expect }) => {
    setVariables({ LOG_SAMPLE: "1000000" });
    await as("nobody").get(COUPONS);
    const log = vi.spyOn(console, "log").mockReturnValue();

    for (let time = 0; time < 5; time += 1) await as("nobody").get(COUPONS);
    await send(COUPONS);
    await mustFeed([seed.customer()]);

    const lines = log.mock.calls.map(([line]) => JSON.parse(line));
    // The first five might take half a second on a busy machine, and then have lines.
    expect(lines.filter(({ milliseconds }) => milliseconds < 500)).toMatchObject([
      { status: 401, error: "UNAUTHENTICATED", standsFor: 1 },
      { status: 200, route: "/api/v1/feed", standsFor: 1 },
    ]);
  });

  it("has where the database stands, how large it is, and which version answered", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();

    await as("nobody").get(COUPONS);

    expect(JSON.parse(String(log.mock.lastCall))).toMatchObject({
      version: expect.any(String),
      source: "primary",
      primary: true,
      attempts: 1,
      databaseBytes: expect.any(Number),
      standsFor: 1,
    });
  });
});
