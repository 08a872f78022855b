import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { horizonOf } from "../../src/feed/horizon.ts";
import { mustFeed } from "../support/api.ts";
import { passHealth } from "../support/health.ts";
import { sendTo } from "../support/stalling.ts";
import { beginNight, endNight, feedOld, keepMonths, OLD, seal, segments, shop, snapshotOfEvents } from "./support.ts";

// docs/contract/history.md, 1.

beforeEach(() => beginNight());
afterEach(endNight);

describe("without the settings", () => {
  it("nothing leaves: the job is given back at once", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, entry("5.00", OLD));
    keepMonths(undefined);
    const before = await snapshotOfEvents();
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await seal();

    // One batch claims the job, and one releases it.
    expect(batch).toHaveBeenCalledTimes(2);
    batch.mockRestore();
    expect(await snapshotOfEvents()).toEqual(before);
  });

  it("nothing leaves, events that never left are taken, and /health says why", async ({ expect }) => {
    const { lines, entry } = shop();
    const bindings = { HISTORY_MONTHS: "121", HISTORY: env.TEST_HISTORY };
    Object.assign(env, bindings);

    await mustFeed([...lines, entry("5.00", OLD)]);
    await seal();
    passHealth();
    const health = await sendTo(bindings, "/health");

    expect(await segments()).toEqual([]);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ message: expect.stringMatching(/^HISTORY_MONTHS must be 1 to 120/) });
  });
});

describe("the horizon", () => {
  it.for([
    [1, "2026-06-10T07:00:00Z", "2026-05-01 00:00:00"],
    [1, "2026-06-30T23:59:59.999Z", "2026-05-01 00:00:00"],
    [1, "2026-07-01T00:00:00Z", "2026-06-01 00:00:00"],
    [13, "2026-01-31T12:00:00Z", "2024-12-01 00:00:00"],
    [120, "2026-03-31T12:00:00Z", "2016-03-01 00:00:00"],
  ] as const)("of %i months at %s is %s", ([months, now, horizon], { expect }) => {
    expect(horizonOf({ months }, new Date(now))).toBe(horizon);
  });
});
