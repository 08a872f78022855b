import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { command } from "./command.ts";

describe("npm run bench:history", () => {
  it("measures the size of a database whose old entries have left, and how long others wait meanwhile", {
    timeout: 300_000,
  }, async ({ expect }) => {
    const json = path.join(temporaryFolder(), "report.json");

    const run = command("bench-history", ["--entries", "100000", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { sealedEntries, size, batches, reads, feeds } = JSON.parse(readFileSync(json, "utf8"));
    // The entries of nine of twelve months and of a part of this month have left.
    expect(sealedEntries).toBeGreaterThan(68_000);
    expect(sealedEntries).toBeLessThan(77_000);
    // The database still has a third of the entries, and summaries of the others.
    expect(size).toBeGreaterThan(0.3);
    expect(size).toBeLessThan(0.6);
    expect(batches.length).toBeGreaterThan(0);
    for (const { p50, p50Sealing } of [reads, feeds]) expect(Math.min(p50, p50Sealing)).toBeGreaterThan(0);
    expect(run.output()).toContain("at most 1.2");
  });
});
