import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import type { Report } from "../../scripts/bench/page.ts";
import { temporaryFolder } from "./clone.ts";
import { startCommand } from "./command.ts";

// A small run of the benchmark. test/budgets/ has the round trips and rows of each endpoint.

const json = path.join(temporaryFolder(), "report.json");

describe("npm run edge -- bench", () => {
  it("measures every endpoint, the feed, sockets and retention", async ({ expect }) => {
    const run = startCommand("bench", ["--scale", "1k", "--rounds", "20", "--entries", "20000", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { measured, scales, notifications, retention } = JSON.parse(readFileSync(json, "utf8")) as Report;
    expect(new Set(measured.map(({ endpoint }) => endpoint)).size).toBe(11);
    // Loading has cached some boards, which cannot be measured cold for half a minute.
    const fewestSamples = (name: string) => (name === "cold" ? 1 : 20);
    expect(measured.filter(({ name, samples }) => samples < fewestSamples(name))).toEqual([]);
    expect(scales[0]?.kinds).toHaveLength(19);
    expect(scales[0]?.kinds.filter(({ seconds, bareSeconds }) => !(seconds > 0 && bareSeconds > 0))).toEqual([]);
    expect(scales[0]?.databaseBytes).toBeGreaterThan(1_000_000);
    expect(notifications).toMatchObject({ members: 100, sockets: 500 });
    expect(notifications.messages).toHaveLength(2);
    // The entries are of 35 whole months and a part of this month. Those of the oldest 23 months are added up.
    expect(retention.deleted / 20_000).toBeGreaterThan(23 / 36 - 0.001);
    expect(retention.deleted / 20_000).toBeLessThan(23 / 35 + 0.001);
    expect(retention.longestStep).toBeGreaterThan(0);
    // The summaries of so few entries take more room than their share.
    expect(retention.pages).toBeGreaterThan(1);
    expect(retention.pages).toBeLessThan(2);
    expect(run.output()).toContain("cases are within their aim at 1k");
  });

  it("measures hostile data: each kind of it takes at most its limit", async ({ expect }) => {
    const run = startCommand("bench", ["--hostile", "--scale", "1k"]);

    expect(await run.ended, run.output()).toBe(0);
    expect(run.output().match(/^\| .* \|$/gm)).toHaveLength(12);
  });
});
