import { describe, it } from "vitest";
import monitoring from "../docs/monitoring.md?raw";
import { METRICS } from "../src/middleware/metrics.ts";

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
