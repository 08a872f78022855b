import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import type { SoakReport } from "../../scripts/soak/report.ts";
import { temporaryFolder } from "./clone.ts";
import { startCommand } from "./command.ts";

describe("npm run edge -- soak", () => {
  it("sends requests while the primary stalls, and finds nothing wrong", { timeout: 600_000 }, async ({ expect }) => {
    const json = path.join(temporaryFolder(), "report.json");

    // A stall lasts ten seconds. The first one begins half a minute after the start.
    const soak = startCommand("soak", ["--minutes", "0.8", "--connections", "8", "--stall", "10", "--json", json]);

    expect(await soak.ended, soak.output()).toBe(0);
    expect(soak.output()).toContain("Answers and events: the model's. Derived data: as recounted");
    expect(soak.output()).not.toContain("ERROR");
    const report = JSON.parse(readFileSync(json, "utf8")) as SoakReport;
    expect(report).toMatchObject({ connections: 8, seed: 1, stalls: 1, errors: {}, differences: [] });
    expect(Object.keys(report.answers)).toHaveLength(9);
    expect(report.feed.lines).toBeGreaterThan(0);
    expect(report.memory.end).toBeGreaterThan(0);
  });
});
