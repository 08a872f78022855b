import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import type { Report } from "../../scripts/bench/page.ts";
import { temporaryFolder } from "./clone.ts";
import { startCommand } from "./command.ts";

// Small runs of the benchmarks. test/budgets/ has the round trips and rows of each endpoint.

const json = path.join(temporaryFolder(), "report.json");

describe("npm run bench", () => {
  it("measures every endpoint, the feed and sockets", async ({ expect }) => {
    const run = startCommand("bench", ["--scale", "1k", "--rounds", "20", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { measured, scales, notifications } = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(new Set(measured.map(({ endpoint }) => endpoint)).size).toBe(11);
    // Loading has cached some boards, which cannot be measured cold for half a minute.
    const fewestSamples = (name: string) => (name === "cold" ? 1 : 20);
    expect(measured.filter(({ name, samples }) => samples < fewestSamples(name))).toEqual([]);
    expect(scales[0]?.kinds).toHaveLength(18);
    expect(scales[0]?.kinds.filter(({ seconds, bareSeconds }) => !(seconds > 0 && bareSeconds > 0))).toEqual([]);
    expect(scales[0]?.databaseBytes).toBeGreaterThan(1_000_000);
    expect(notifications).toMatchObject({ members: 100, sockets: 500 });
    expect(notifications.messages).toHaveLength(2);
    expect(run.output()).toContain("cases are within their aim at 1k");
  });
});

describe("npm run bench:history", () => {
  it("measures the size of a database whose old entries have left, and how long others wait meanwhile", async ({
    expect,
  }) => {
    const run = startCommand("bench-history", ["--entries", "50000"]);

    expect(await run.ended, run.output()).toBe(0);
    const [, sealedEntries = ""] = /([\d,]+) entries sealed/.exec(run.output()) ?? [];
    // The entries are of twelve whole months and a part of this month. Those of the oldest nine months have left.
    expect(Number(sealedEntries.replace(",", ""))).toBeGreaterThan(34_000);
    expect(Number(sealedEntries.replace(",", ""))).toBeLessThan(38_500);
    // The database still has a third of the entries, and summaries of the others.
    const [, size] = /size before = 1 \| ([\d.]+)/.exec(run.output()) ?? [];
    expect(Number(size)).toBeGreaterThan(0.3);
    expect(Number(size)).toBeLessThan(0.6);
    for (const what of ["reads", "feeds"])
      expect(run.output()).toMatch(new RegExp(`${what} during sealing: .* \\| [\\d.]+: `));
  });
});
