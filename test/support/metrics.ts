import { METRICS, type MetricsEvent } from "../../src/middleware/metrics.ts";
import { setVariables } from "./variables.ts";

/** The metrics of a data point by name. */
export type Point = Record<string, string | number>;

export const METRICS_EVENTS = ["request", "feed", "run"] as const;

/** The metrics of an event, each with its column in Analytics Engine. */
export function columnsOf(event: MetricsEvent) {
  const { blobs, doubles } = METRICS[event];
  const columns = (type: string, names: readonly string[]) =>
    names.map((name, index) => ({ column: `${type}${index + 1}`, name }));
  return [...columns("blob", ["event", "version", ...blobs]), ...columns("double", doubles)];
}

/** Binds a dataset. Returns a list to which each new data point is added. */
export function recordMetrics(): Point[] {
  const points: Point[] = [];
  setVariables({
    METRICS: {
      writeDataPoint({ blobs = [], doubles = [], indexes = [] }: AnalyticsEngineDataPoint) {
        const columns = new Map<string, unknown>([
          ...blobs.map((blob, index) => [`blob${index + 1}`, blob] as const),
          ...doubles.map((double, index) => [`double${index + 1}`, double] as const),
        ]);
        const metrics = columnsOf(blobs[0] as MetricsEvent);
        if (columns.size !== metrics.length) throw new Error("The columns of the data point are not those of METRICS.");
        points.push({
          index: String(indexes[0]),
          ...Object.fromEntries(metrics.map(({ column, name }) => [name, columns.get(column) as string | number])),
        });
      },
    },
  });
  return points;
}

export function stopMetrics(): void {
  setVariables({ METRICS: undefined });
}
