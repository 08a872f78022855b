import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import type { Report } from "../../scripts/bench/report.ts";
import { command, pressCtrlC, printed, type Running } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Two thousand sockets are opened, and left alone until they are idle.
const LONG = { timeout: 360_000 };
/** The round trips to D1 of the cases that do not take one. */
const ROUND_TRIPS: Record<string, number> = {
  ...{ warm: 0, "poll, no news": 0 },
  ...{ nothing: 2, "customers, nothing near": 2, "stores, nothing near": 2 },
  ...{ "customers, a typo": 3, "customers, two words, a typo": 3 },
  ...{ "stores, a typo": 3, "stores, two words, a typo": 3 },
};

describe("npm run bench", () => {
  it("measures every endpoint, the feed and sockets, at each scale that it is asked for", LONG, async ({ expect }) => {
    const json = path.join(folder, "report.json");

    const run = command("bench", [
      "--scale",
      "1k,2k",
      "--rounds",
      "5",
      "--seconds",
      "0",
      "--live",
      "2",
      "--json",
      json,
    ]);

    expect(await run.ended, run.output()).toBe(0);
    const report = JSON.parse(readFileSync(json, "utf8")) as Report;
    const ours = report.measured.filter(({ way }) => way === "ours");
    expect(new Set(ours.map(({ endpoint }) => endpoint))).toEqual(
      new Set(["nearby", "messages", "team", "coupons", "my-coupons", "search", "leaderboard"]),
    );
    expect(ours.filter(({ name, roundTrips }) => roundTrips !== (ROUND_TRIPS[name] ?? 1))).toEqual([]);
    expect(report.scales.map(({ name }) => name)).toEqual(["1k", "2k"]);
    expect(report.loads[1]?.kinds.reduce((sum, { lines }) => sum + lines, 0)).toBe(report.scales[1]?.lines);
    expect(report.live?.told).toMatchObject({ members: 100, sockets: 500 });
    expect(report.live?.told.messages).toHaveLength(2);
    expect(report.live?.feeds.map(({ name }) => name)).toContain("they hold a socket");
    expect(report.live?.memory).toMatchObject({ sockets: 2_000, objects: 2_000 });
    expect(run.output()).toContain("to baseline");
    expect(run.output()).toContain("all 500 sockets of a group told");
  });

  it("measures with UUIDs for ids, and feeding with them beside feeding with own ids", async ({ expect }) => {
    const json = path.join(folder, "ids.json");
    const measure = (ids: string, ...rest: string[]) =>
      command("bench", [
        ...["--scale", "1k", "--ids", ids, "--rounds", "5", "--seconds", "0", "--live", "0", "--json", json],
        ...rest,
      ]);

    const withUuids = measure("uuid");

    expect(await withUuids.ended, withUuids.output()).toBe(0);
    const report = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(report.ids).toBe("uuid");
    expect(report.live).toBeUndefined();
    expect(report.crowded.map(({ name }) => name)).toEqual(["0", "20", "100", "300"]);
    expect(report.crowded.filter(({ samples }) => samples < 5)).toEqual([]);

    const withBoth = measure("both", "--before", json);

    expect(await withBoth.ended, withBoth.output()).toBe(0);
    const { loads } = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(loads[0]?.kinds.filter(({ uuidSeconds = 0 }) => uuidSeconds === 0)).toEqual([]);
    expect(withBoth.output()).toContain("with UUIDs");
    expect(withBoth.output()).toContain("against the run before");
  });

  it("ends at Ctrl-C, and leaves nothing running", async ({ expect }) => {
    const run = command("bench", ["--scale", "100k"]);
    await printed(run, "Loading 100k");

    pressCtrlC(run);

    expect(await run.ended).toBe(130);
    expect(run.output()).toContain("Stopped.");
    // The last of its processes may need a moment.
    await expect.poll(() => isRunning(run), { timeout: 10_000 }).toBe(false);
  });

  it.for([
    [["--scale", "many"], "10k, 100k or 1m"],
    [["--scale", "1k,1k"], "A scale is named twice."],
    [["--data", "nowhere.ndjson"], "There is no file nowhere.ndjson."],
    [["--scale", "9k", "--reuse"], "Nothing is loaded for 9k"],
    [["--reuse", "--docs"], "leave out --reuse"],
    [["--live", "0", "--docs"], "--live 0"],
    [["--scale", "1k", "--reuse", "--ids", "both"], "leave out --reuse"],
    [["--before", "nowhere.json"], "nowhere.json is not what a run has written"],
  ] as const)("says in one line what is wrong with %j", async ([args, text], { expect }) => {
    const run = command("bench", args);

    expect(await run.ended).toBe(1);
    expect(run.output()).toContain(text);
    expect(run.output()).not.toContain(" at ");
  });
});

/** Whether any process of the command's group is left. */
function isRunning({ child }: Running): boolean {
  try {
    return process.kill(-Number(child.pid), 0);
  } catch {
    return false;
  }
}
