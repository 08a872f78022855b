/** A price of Cloudflare's Workers Paid plan, in dollars, beyond what the plan includes each month. */
export interface Price {
  what: string;
  dollars: number;
  /** For so many units: a million requests, one GB. */
  per: number;
  /** How many units the plan includes. */
  included: number;
  unit: string;
  /** The page of developers.cloudflare.com that says so. */
  page: string;
}

/** When the pages were read. */
export const READ_ON = "2026-11-22";

/** What the plan itself costs a month. */
export const PLAN_DOLLARS = 5;

const MILLION = 1_000_000;
const WORKERS = "workers/platform/pricing/";
const D1 = "d1/platform/pricing/";
const OBJECTS = "durable-objects/platform/pricing/";
const KV = "kv/platform/pricing/";
const R2 = "r2/pricing/";
const OBSERVABILITY = "observability/pricing/";

export const PRICES = {
  requests: { what: "Workers", unit: "requests", dollars: 0.3, per: MILLION, included: 10 * MILLION, page: WORKERS },
  cpuMs: { what: "Workers", unit: "ms of CPU", dollars: 0.02, per: MILLION, included: 30 * MILLION, page: WORKERS },
  rowsRead: { what: "D1", unit: "rows read", dollars: 0.001, per: MILLION, included: 25_000 * MILLION, page: D1 },
  rowsWritten: { what: "D1", unit: "rows written", dollars: 1, per: MILLION, included: 50 * MILLION, page: D1 },
  databaseGb: { what: "D1", unit: "GB stored", dollars: 0.75, per: 1, included: 5, page: D1 },
  calls: { what: "Durable Objects", unit: "calls", dollars: 0.15, per: MILLION, included: MILLION, page: OBJECTS },
  gbSeconds: {
    what: "Durable Objects",
    unit: "GB-seconds",
    dollars: 12.5,
    per: MILLION,
    included: 400_000,
    page: OBJECTS,
  },
  objectRowsRead: {
    what: "Durable Objects",
    unit: "rows read",
    dollars: 0.001,
    per: MILLION,
    included: 25_000 * MILLION,
    page: OBJECTS,
  },
  objectRowsWritten: {
    what: "Durable Objects",
    unit: "rows written",
    dollars: 1,
    per: MILLION,
    included: 50 * MILLION,
    page: OBJECTS,
  },
  kvReads: { what: "KV", unit: "reads", dollars: 0.5, per: MILLION, included: 10 * MILLION, page: KV },
  kvWrites: { what: "KV", unit: "writes", dollars: 5, per: MILLION, included: MILLION, page: KV },
  objectGbMonths: { what: "R2", unit: "GB-months", dollars: 0.015, per: 1, included: 10, page: R2 },
  objectWrites: { what: "R2", unit: "writes", dollars: 4.5, per: MILLION, included: MILLION, page: R2 },
  objectReads: { what: "R2", unit: "reads", dollars: 0.36, per: MILLION, included: 10 * MILLION, page: R2 },
  logGb: { what: "Logs, traces", unit: "GB taken in", dollars: 0.25, per: 1, included: 50, page: OBSERVABILITY },
  logGbMonths: {
    what: "Logs, traces",
    unit: "GB-months kept",
    dollars: 0.1,
    per: 1,
    included: 12,
    page: OBSERVABILITY,
  },
  points: {
    what: "Metrics",
    unit: "data points",
    dollars: 0.25,
    per: MILLION,
    included: 10 * MILLION,
    page: "analytics/analytics-engine/pricing/",
  },
} as const satisfies Record<string, Price>;

/** How much of each is used in a month; what is left out is not used. */
export type Usage = Readonly<Partial<Record<keyof typeof PRICES, number>>>;

/** What a month's usage costs. The plan's inclusions are counted where it is small enough for them to matter. */
export function dollarsOf(usage: Usage, { countIncluded }: { countIncluded: boolean }): number {
  return Object.entries(usage).reduce((sum, [name, units]) => {
    const { dollars, per, included } = PRICES[name as keyof typeof PRICES];
    return sum + (Math.max(0, units - (countIncluded ? included : 0)) / per) * dollars;
  }, 0);
}
