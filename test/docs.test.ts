import { describe, it } from "vitest";
import monitoring from "../docs/monitoring.md?raw";
import { METRICS } from "../src/middleware/metrics.ts";

const PAGES: Record<string, string> = import.meta.glob(
  ["../*.md", "../docs/**/*.md", "../client/*.md", "../examples/**/*.md", "../.github/**/*.md"],
  { query: "?raw", import: "default", eager: true },
);

describe("docs/monitoring.md", () => {
  it.for(Object.entries(METRICS))(
    "lists the metrics of a %s in the order of their columns",
    ([event, metrics], { expect }) => {
      const row = monitoring.split("\n").find((line) => line.startsWith(`| \`${event}\` |`)) ?? "";
      const [, , blobs, doubles] = row.split("|").map((cell) => cell.match(/\w+/g) ?? []);

      expect({ blobs, doubles }).toEqual(metrics);
    },
  );
});

describe("a page of the documentation", () => {
  it.for(Object.entries(PAGES))("has at most 30 links: %s", ([, text], { expect }) => {
    expect([...text.matchAll(/\]\(/g)].length).toBeLessThanOrEqual(30);
  });

  it("is found, wherever it is", ({ expect }) => {
    expect(Object.keys(PAGES).length).toBeGreaterThan(20);
  });
});
