import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { command } from "./command.ts";

describe("npm run bench:history", () => {
  it("measures what entries take after a year of them left, and what others wait for", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const json = path.join(temporaryFolder(), "report.json");

    const run = command("bench-history", ["--entries", "100000", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { sealedEntries, size, batches, reads, feeds } = JSON.parse(readFileSync(json, "utf8"));
    // Nine of twelve months and a part of this one.
    expect(sealedEntries).toBeGreaterThan(68_000);
    expect(sealedEntries).toBeLessThan(77_000);
    // A third of the entries, and the summaries of the others.
    expect(size).toBeGreaterThan(0.3);
    expect(size).toBeLessThan(0.6);
    expect(batches.length).toBeGreaterThan(0);
    for (const { p50, p50Sealing } of [reads, feeds]) expect(Math.min(p50, p50Sealing)).toBeGreaterThan(0);
    expect(run.output()).toContain("at most 1.2");
  });
});
