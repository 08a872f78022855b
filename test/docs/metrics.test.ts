import { describe, it } from "vitest";
import monitoring from "../../docs/monitoring.md?raw";
import { METRICS } from "../../src/middleware/metrics.ts";

// Queries name columns such as `double2`. Only this page says which metric such a column holds.

describe("the metrics of docs/monitoring.md", () => {
  it.for(Object.entries(METRICS))(
    "are those of a %s, in the order of their columns",
    ([event, metrics], { expect }) => {
      const row = monitoring.split("\n").find((line) => line.startsWith(`| \`${event}\` |`)) ?? "";
      const [, , blobs, doubles] = row.split("|").map((cell) => cell.match(/\w+/g) ?? []);

      expect({ blobs, doubles }).toEqual(metrics);
    },
  );
});
