import { METRICS, type MetricsEvent } from "../../src/middleware/metrics.ts";
import { setVariables } from "./variables.ts";

/** A data point as the SQL of Analytics Engine sees it, by the names of its metrics. */
export type Point = Record<string, string | number>;

export const METRICS_EVENTS = ["request", "feed", "run"] as const;

/** Each metric of an event with the column of Analytics Engine that holds it, in their order. */
export function columnsOf(event: MetricsEvent) {
  const { blobs, doubles } = METRICS[event];
  const columns = (type: string, names: readonly string[]) =>
    names.map((name, index) => ({ column: `${type}${index + 1}`, name }));
  return [...columns("blob", ["event", "version", ...blobs]), ...columns("double", doubles)];
}

/** Binds a dataset. Returns an array that receives all points written from now on. */
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
        if (columns.size !== metrics.length) throw new Error("The point has other columns than the list.");
        points.push({
          index: String(indexes[0]),
          ...Object.fromEntries(metrics.map(({ column, name }) => [name, columns.get(column) as string | number])),
        });
      },
    },
  });
  return points;
}

/** Removes the dataset. */
export function stopMetrics(): void {
  setVariables({ METRICS: undefined });
}
