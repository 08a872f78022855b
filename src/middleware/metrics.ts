/**
 * The metrics of each event: texts are blobs, numbers are doubles. docs/monitoring.md explains them. Add new metrics at
 * the end: queries name columns by position, and old data points keep their positions.
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
  /** Notifications of a feed request, or of a run of the schedule. `milliseconds`: from the commit to the last answer. */
  delivery: { blobs: ["by"], doubles: ["reached", "unreached", "milliseconds"] },
  run: {
    blobs: ["work"],
    doubles: ["failures", "milliseconds", "waiting", "oldestSeconds", "notified", "failed", "deleted"],
  },
} as const;

export type MetricsEvent = keyof typeof METRICS;

/** A metric that is left out is written as an empty text or 0. */
type MetricsValues<E extends MetricsEvent> = {
  [Blob in (typeof METRICS)[E]["blobs"][number]]?: string | undefined;
} & { [Double in (typeof METRICS)[E]["doubles"][number]]?: number | boolean | undefined };

/** METRICS is bound only if the operator switched metrics on (see wrangler.toml). */
type Bindings = Env & { METRICS?: AnalyticsEngineDataset };

/** Writes one data point, if metrics are switched on. An invocation may write 25. */
export function writeMetrics<E extends MetricsEvent>(env: Bindings, event: E, values: MetricsValues<E>): void {
  const { blobs, doubles } = METRICS[event];
  const valueByName = new Map<string, unknown>(Object.entries(values));
  env.METRICS?.writeDataPoint({
    // Analytics Engine samples each index separately under load, so many requests do not crowd out rare events.
    indexes: [event],
    blobs: [event, workerVersion(env) ?? "", ...blobs.map((name) => String(valueByName.get(name) ?? ""))],
    doubles: doubles.map((name) => Number(valueByName.get(name) ?? 0)),
  });
}

/** Cloudflare's id of the deployed version; undefined if there is no deployment, as in the benchmark. */
export function workerVersion({ CF_VERSION_METADATA: version }: Partial<Env>): string | undefined {
  return version?.id;
}
