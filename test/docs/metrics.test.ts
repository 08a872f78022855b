import { describe, it } from "vitest";
import monitoring from "../../docs/monitoring.md?raw";
import { columnsOf, METRICS_EVENTS } from "../support/metrics.ts";

// Whoever asks the metrics names columns such as `double2`, and has only this page to know what is in them.

describe("the metrics of docs/monitoring.md", () => {
  it("are those of the list, with their columns", ({ expect }) => {
    const rows = METRICS_EVENTS.flatMap((event) =>
      columnsOf(event).flatMap(({ column, name }) => {
        const isCommon = column === "blob1" || column === "blob2";
        return isCommon && event !== "request" ? [] : [[isCommon ? "all" : event, `\`${column}\``, `\`${name}\``]];
      }),
    );

    const documented = monitoring.split("\n").filter((line) => /^\| \w+ \| `(blob|double)\d+`.+\w/.test(line));

    expect(documented.map((line) => line.slice(2).split(" | ").slice(0, 3))).toEqual(rows);
  });
});
