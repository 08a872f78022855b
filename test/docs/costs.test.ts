import { describe, it } from "vitest";
import page from "../../docs/costs.md?raw";
import { CHAIN, logsOf, MILLION_APPS, usageOf, WAYS } from "../../scripts/costs/loads.ts";
import { dollarsOf, PRICES } from "../../scripts/costs/prices.ts";
import { costTables } from "../../scripts/costs/tables.ts";
import wrangler from "../../wrangler.toml?raw";

describe("docs/costs.md", () => {
  it("has the tables that `npm run costs` prints", ({ expect }) => {
    for (const table of costTables()) expect(page).toContain(`\n${table}\n`);
  });

  it("gives each price with the page of Cloudflare that says so, and when it was read", ({ expect }) => {
    const rows = page.split("\n").filter((line) => line.includes("](https://developers.cloudflare.com/"));

    expect(rows).toHaveLength(Object.keys(PRICES).length);
    for (const row of rows) expect(row).toMatch(/\/pricing\/\) +\| 20\d\d-\d\d-\d\d \|$/);
  });

  it("is of the sampling that wrangler.toml sets", ({ expect }) => {
    expect(wrangler).toContain('LOG_SAMPLE = "20"');
    expect(wrangler).toMatch(/\[observability\.traces\]\nenabled = true\nhead_sampling_rate = 0\.01\n/);
  });
});

describe("a load's usage", () => {
  const { Workers, D1 } = usageOf(MILLION_APPS, "database");
  const exact = { countIncluded: false };

  it("of a million apps that poll every ten seconds is 259,200 million requests of a millisecond", ({ expect }) => {
    expect(Workers).toEqual({ requests: 259_200_000_000, cpuMs: 259_200_000_000 });
    expect(dollarsOf(Workers, exact)).toBeCloseTo(259_200 * (0.3 + 0.02), 6);
    expect(D1.rowsRead).toBe(30_000_000 * (10 * 48 + 8_630 * 7));
  });

  it("is billed from beyond what the plan includes", ({ expect }) => {
    const small = { countIncluded: true };

    expect(dollarsOf({ requests: 10_000_000 }, small)).toBe(0);
    expect(dollarsOf({ requests: 11_000_000 }, small)).toBeCloseTo(0.3, 9);
    expect(dollarsOf({ requests: 11_000_000 }, exact)).toBeCloseTo(3.3, 9);
  });

  it.for(WAYS)("logs less the rarer ordinary requests are logged, and writes always: %s", (way, { expect }) => {
    const [all, some, few] = [1, 20, 1_000_000].map((oneIn) => logsOf(CHAIN, way, oneIn).logGb ?? 0);

    expect(all).toBeGreaterThan(Number(some));
    expect(some).toBeGreaterThan(Number(few));
    expect(few).toBeGreaterThan((30 * CHAIN.feeds * 1_500) / 1e9);
  });
});
