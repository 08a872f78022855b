import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, it } from "vitest";
import { Chain, feedChain, feedLines, storeEntries, toLine } from "../../scripts/bench/history/entries.ts";
import { LocalD1 } from "../../scripts/bench/history/local-d1.ts";
import { readMigrations } from "../simulation/platform/code.ts";
import { removeFolder } from "./clone.ts";
import { command } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bench-history-"));
afterAll(() => removeFolder(folder));

const WRITTEN = ["balance_entries", "store_balances", "customers", "campaign_stores", "feed_version"];

describe("npm run bench:history", () => {
  it("fills a database with the rows that the feed writes", async ({ expect }) => {
    const rowsOf = async (name: string, isFed: boolean) => {
      const file = path.join(folder, name);
      const database = new DatabaseSync(file);
      for (const migration of readMigrations()) database.exec(migration);
      database.close();
      const d1 = new LocalD1(file);
      const chain = new Chain(500, "random", "the same");
      await feedChain(d1, chain);
      for (const some of chain.entries(6_000, new Date("2026-01-01"), new Date("2026-02-01"), 2_000)) {
        if (isFed) await feedLines(d1, some.map(toLine));
        else storeEntries(d1, some);
      }
      const rows = WRITTEN.map((table) => d1.all(`SELECT * FROM ${table} ORDER BY 1, 2`));
      d1.close();
      return rows;
    };

    const fed = await rowsOf("fed", true);

    expect(fed[0]).toHaveLength(6_000);
    expect(await rowsOf("stored", false)).toEqual(fed);
  });

  it("measures sizes, a year that leaves, and feeding", { timeout: 600_000 }, async ({ expect }) => {
    const json = path.join(folder, "report.json");

    const run = command("bench-history", ["--entries", "1000000", "--json", json]);

    expect(await run.ended, run.output()).toBe(0);
    const { sizes, year, feeding } = JSON.parse(readFileSync(json, "utf8"));
    expect(sizes.sealed).toMatchObject({ stored: sizes.fresh.stored, sealed: 638_894 });
    expect(sizes.sealed.bytes / sizes.fresh.bytes).toBeLessThan(1.25);
    expect(year.entries).toBe(250_002);
    for (const { count, p50, p50Sealing } of [year.reads, year.feeds])
      expect(Math.min(count, p50, p50Sealing)).toBeGreaterThan(0);
    expect(feeding.ratio).toBeGreaterThan(0);
    expect(run.output()).toContain("at most 1.2");
  });

  it("says in one line that nothing is filled", async ({ expect }) => {
    const run = command("bench-history", ["--entries", "777", "--reuse"]);

    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("Nothing is filled");
  });
});
