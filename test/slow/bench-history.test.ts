import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { removeFolder } from "./clone.ts";
import { command } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bench-history-"));
afterAll(() => removeFolder(folder));

describe("npm run bench:history", () => {
  it("measures sizes, and a year that leaves", { timeout: 600_000 }, async ({ expect }) => {
    const json = path.join(folder, "report.json");

    const run = command("bench-history", ["--entries", "1000000", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { sizes, year } = JSON.parse(readFileSync(json, "utf8"));
    expect(sizes.sealed).toMatchObject({ stored: sizes.fresh.stored, sealed: 638_894 });
    expect(sizes.sealed.bytes / sizes.fresh.bytes).toBeLessThan(1.25);
    expect(year.entries).toBe(250_002);
    for (const { count, p50, p50Sealing } of [year.reads, year.feeds])
      expect(Math.min(count, p50, p50Sealing)).toBeGreaterThan(0);
    expect(run.output()).toContain("at most 1.2");
  });

  it("says in one line that nothing is filled", async ({ expect }) => {
    const run = command("bench-history", ["--entries", "777", "--reuse"]);

    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("Nothing is filled");
  });
});
