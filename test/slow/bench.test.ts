import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import type { Report } from "../../scripts/bench/page.ts";
import { temporaryFolder } from "./clone.ts";
import { command, isRunning, pressCtrlC, printed } from "./command.ts";

// The benchmark opens 2,000 sockets and waits until they are idle.
const LONG = { timeout: 360_000 };
/** The cases that do not take exactly one round trip to D1. */
const ROUND_TRIPS: Record<string, number> = {
  ...{ warm: 0, "poll, no news": 0 },
  ...{ nothing: 2, "customers, nothing near": 2, "stores, nothing near": 2 },
  ...{ "customers, a typo": 3, "customers, two words, a typo": 3 },
  ...{ "stores, a typo": 3, "stores, two words, a typo": 3 },
};
const ENDPOINTS = [
  "baseline",
  "nearby",
  "messages",
  "team",
  "coupons",
  "my-coupons",
  "me",
  "entries",
  "lookup",
  "search",
  "leaderboard",
];

describe("npm run bench", () => {
  it("measures every endpoint, the feed and sockets, at each scale that it is asked for", LONG, async ({ expect }) => {
    const json = path.join(temporaryFolder(), "report.json");

    const run = command("bench", ["--scale", "2k,1k", "--rounds", "5", "--live", "2", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { measured, scales, live } = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(scales.map(({ name }) => name)).toEqual(["1k", "2k"]);
    expect(new Set(measured.map(({ endpoint }) => endpoint))).toEqual(new Set(ENDPOINTS));
    // Loading has cached some boards, which cannot be measured cold for half a minute.
    const least = (name: string) => (name === "cold" ? 1 : 5);
    expect(measured.filter(({ name, samples }) => samples < least(name))).toEqual([]);
    expect(measured.filter(({ name, roundTrips }) => roundTrips !== (ROUND_TRIPS[name] ?? 1))).toEqual([]);
    expect(scales[1]?.kinds).toHaveLength(18);
    expect(scales[1]?.kinds.filter(({ seconds, bareSeconds }) => !(seconds > 0 && bareSeconds > 0))).toEqual([]);
    expect(scales[1]?.databaseBytes).toBeGreaterThan(1_000_000);
    expect(live?.notifications).toMatchObject({ members: 100, sockets: 500 });
    expect(live?.notifications.messages).toHaveLength(2);
    expect(live?.memory).toMatchObject({ sockets: 2_000, objects: 2_000 });
    expect(run.output()).toContain("cases are within their aim at 2k");
    expect(run.output()).toContain("KiB each, idle");
  });

  it("ends at Ctrl-C, and leaves nothing running", async ({ expect }) => {
    const run = command("bench", ["--scale", "100k"]);
    await printed(run, "Loading 100k");

    pressCtrlC(run);

    expect(await run.ended).toBe(130);
    expect(run.output()).toContain("Stopped.");
    // The last process may need a moment to end.
    await expect.poll(() => isRunning(run)).toBe(false);
  });
});
