import { METRICS, type MetricsEvent } from "../../src/middleware/metrics.ts";
import { setVariables } from "./variables.ts";

/** The metrics of a data point by name. */
export type Point = Record<string, string | number | null>;

/** Binds a dataset. Returns a list to which each new data point is added. */
export function recordMetrics(): Point[] {
  const points: Point[] = [];
  setVariables({
    METRICS: {
      writeDataPoint({ blobs = [], doubles = [], indexes = [] }: AnalyticsEngineDataPoint) {
        const metrics = METRICS[blobs[0] as MetricsEvent];
        const names = ["event", "version", ...metrics.blobs, ...metrics.doubles];
        const values = [...blobs.map(String), ...doubles];
        if (values.length !== names.length) throw new Error("The columns of the data point are not those of METRICS.");
        points.push({
          index: String(indexes[0]),
          ...Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""])),
        });
      },
    },
  });
  return points;
}
