/** The names of an event's metrics, each with what it says: texts in blobs, numbers in doubles. */
interface MetricsOfEvent {
  blobs: Readonly<Record<string, string>>;
  doubles: Readonly<Record<string, string>>;
}

/** What every data point begins with. */
const COMMON = {
  event: "`request`, `feed` or `run`",
  version: "the version of the Worker, by Cloudflare's id",
};

/**
 * Every metric. A data point has the blobs of COMMON and then those of its event, and its doubles, in this order: so a new
 * one comes last, or the queries of docs/operating.md and docs/alerts.md read another column in old data points.
 */
const EVENTS = {
  request: {
    blobs: {
      method: "the method",
      route: "the pattern of the path",
      error: "the `errorCode`; empty where there is none",
      source: "what answered: `inbox`, `memory`, `kv`, `replica`, `primary`; empty: nothing was looked up",
      region: "the region of the database that answered, as D1 names it",
      fault: "how D1 failed: `lost`, `reset`, `overloaded`, `stalled`, `exceeded`, `daily_limit`, `full` or `unknown`",
    },
    doubles: {
      status: "the HTTP status",
      milliseconds: "how long the request took",
      d1Milliseconds: "how long of that D1 took",
      roundTrips: "how often D1 was asked",
      attempts: "the most tries that one call to D1 needed, its own included",
      primary: "1 where the primary answered, 0 where a replica did or D1 was not asked",
      rowsRead: "rows that D1 bills as read",
      rowsWritten: "rows that D1 bills as written",
      databaseBytes: "the size of the database; 0 where D1 was not asked",
      boardAgeSeconds: "how old the leaderboard was; -1 for any other answer",
    },
  },
  feed: {
    blobs: {},
    doubles: {
      accepted: "lines that counted",
      ignored: "lines that changed nothing",
      changes: "changes that listeners are to be notified of",
      milliseconds: "how long the feed took, with waiting for its turn and notifying",
      rowsWritten: "rows that D1 bills as written",
    },
  },
  run: {
    blobs: { work: "the scheduled job" },
    doubles: {
      failures: "what failed of it",
      milliseconds: "how long the run took",
      waiting: "changes in the outbox when the run began, counted up to 10,000",
      oldestSeconds: "how long the oldest of them had waited",
      notified: "changes of which all listeners were notified",
      failed: "changes of which some listeners could not be notified",
      sealed: "events that have left for history",
      behindDays: "for how many days no old event had left although some were waiting, where it is longest",
    },
  },
} as const satisfies Record<string, MetricsOfEvent>;

export type MetricsEvent = keyof typeof EVENTS;

/** The metrics of a data point. */
export type MetricsValues<E extends MetricsEvent> = {
  readonly [Name in keyof (typeof EVENTS)[E]["blobs"]]: string;
} & { readonly [Name in keyof (typeof EVENTS)[E]["doubles"]]: number };

/** A metric, and the column of Analytics Engine that holds it. */
export interface Metric {
  column: string;
  name: string;
  help: string;
}

/** The metrics of an event in the order of their columns. */
export function columnsOf(event: MetricsEvent): Metric[] {
  const { blobs, doubles } = EVENTS[event];
  return [...columns("blob", { ...COMMON, ...blobs }), ...columns("double", doubles)];
}

function columns(type: "blob" | "double", helps: Readonly<Record<string, string>>): Metric[] {
  return Object.entries(helps).map(([name, help], index) => ({ column: `${type}${index + 1}`, name, help }));
}

export const METRICS_EVENTS: readonly MetricsEvent[] = ["request", "feed", "run"];

/** The dataset of Analytics Engine is bound where an operator wants metrics; wrangler.toml says how. */
type Bindings = Env & { METRICS?: AnalyticsEngineDataset };

/** Writes one data point, where metrics are wanted. An invocation may write 25. */
export function writeMetrics<E extends MetricsEvent>(env: Bindings, event: E, values: MetricsValues<E>): void {
  if (env.METRICS === undefined) return;
  const { blobs, doubles } = EVENTS[event];
  const given = new Map<string, string | number>(Object.entries(values));
  env.METRICS.writeDataPoint({
    // What is sampled under load is sampled by this: rare events are not lost among requests.
    indexes: [event],
    blobs: [event, workerVersion(env) ?? "", ...Object.keys(blobs).map((name) => String(given.get(name)))],
    doubles: Object.keys(doubles).map((name) => Number(given.get(name))),
  });
}

/** Cloudflare's id of the Worker's version; undefined where nothing is deployed, as in the benchmark. */
export function workerVersion({ CF_VERSION_METADATA: version }: Partial<Env>): string | undefined {
  return version?.id;
}
