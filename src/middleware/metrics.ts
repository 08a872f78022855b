/**
 * The metrics of each kind of data point: texts in blobs, numbers in doubles. docs/monitoring.md says what they mean. A
 * new one comes last, or the queries of docs/monitoring.md read another column in old data points.
 */
export const METRICS = {
  request: {
    blobs: ["method", "route", "error", "source", "region", "fault"],
    doubles: [
      "status",
      "milliseconds",
      "d1Milliseconds",
      "roundTrips",
      "attempts",
      "primary",
      "rowsRead",
      "rowsWritten",
      "databaseBytes",
      "boardAgeSeconds",
    ],
  },
  feed: { blobs: [], doubles: ["accepted", "ignored", "changes", "milliseconds", "rowsWritten"] },
  run: {
    blobs: ["work"],
    doubles: ["failures", "milliseconds", "waiting", "oldestSeconds", "notified", "failed", "sealed", "behindDays"],
  },
} as const;

export type MetricsEvent = keyof typeof METRICS;

/** What is left out counts as an empty text, or 0. */
type MetricsValues<E extends MetricsEvent> = {
  [Blob in (typeof METRICS)[E]["blobs"][number]]?: string | undefined;
} & { [Double in (typeof METRICS)[E]["doubles"][number]]?: number | boolean | undefined };

/** The dataset of Analytics Engine is bound where an operator wants metrics; wrangler.toml says how. */
type Bindings = Env & { METRICS?: AnalyticsEngineDataset };

/** Writes one data point, where metrics are wanted. An invocation may write 25. */
export function writeMetrics<E extends MetricsEvent>(env: Bindings, event: E, values: MetricsValues<E>): void {
  const { blobs, doubles } = METRICS[event];
  const given = new Map<string, unknown>(Object.entries(values));
  env.METRICS?.writeDataPoint({
    // What is sampled under load is sampled by this: rare events are not lost among requests.
    indexes: [event],
    blobs: [event, workerVersion(env) ?? "", ...blobs.map((name) => String(given.get(name) ?? ""))],
    doubles: doubles.map((name) => Number(given.get(name) ?? 0)),
  });
}

/** Cloudflare's id of the Worker's version; undefined where nothing is deployed, as in the benchmark. */
export function workerVersion({ CF_VERSION_METADATA: version }: Partial<Env>): string | undefined {
  return version?.id;
}
