import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { removeFolder } from "./clone.ts";
import { command } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bench-feed-"));
afterAll(() => removeFolder(folder));

interface Report {
  measured: { name: string; answer: number; expected: number; liveMegabytes: number; mostMegabytes: number }[];
  atOnce: { requests: number; wrong: string[]; others: number; othersFailed: number; exportMegabytes: number };
}

describe("npm run bench:feed", () => {
  // Two minutes on two free cores.
  it("finds that the largest requests and exports fit into a Worker's memory, also at once", {
    timeout: 600_000,
  }, async ({ expect }) => {
    const json = path.join(folder, "report.json");

    const run = command("bench-feed", ["--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { measured, atOnce } = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(measured.filter(({ answer, expected }) => answer !== expected)).toEqual([]);
    expect(measured.filter(({ liveMegabytes }) => liveMegabytes > 48)).toEqual([]);
    // The largest take tens of MB: less would mean that it was not looked at the right time.
    expect(Math.max(...measured.map(({ mostMegabytes }) => mostMegabytes))).toBeGreaterThan(20);
    expect(atOnce).toMatchObject({ requests: 8, wrong: [], othersFailed: 0 });
    expect(atOnce.others).toBeGreaterThan(5);
    const exports = measured.filter(({ name }) => name.startsWith("Export"));
    expect(Math.max(...exports.map(({ mostMegabytes }) => mostMegabytes))).toBeGreaterThan(20);
    // Of 128, for one of the largest that is worked on, and the body of the next.
    expect(atOnce.exportMegabytes).toBeLessThan(64);
    expect(atOnce.exportMegabytes).toBeGreaterThan(20);
  });

  it("fails where the heap is too small for what is sent", async ({ expect }) => {
    const run = command("bench-feed", ["--heap", "40", "--only", "Hangul, the most", "--at-once", "1"]);

    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("The Worker's runtime has ended.");
  });

  it("says in one line that no request has the name", async ({ expect }) => {
    const run = command("bench-feed", ["--only", "no such"]);

    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('No request\'s name holds "no such".');
    expect(run.output()).not.toContain(" at ");
  });
});
