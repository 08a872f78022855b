import { toDatetime } from "../values/time.ts";

/** For how long a deployment keeps events in its database (docs/contract/history.md, 1). */
export interface HistorySettings {
  /** How many whole months before the current month stay in the database. */
  months: number;
  bucket: R2Bucket;
}

/** Only an operator who wants history binds these (wrangler.toml). */
type Bindings = Partial<Pick<Env, "HISTORY_MONTHS">> & { HISTORY?: R2Bucket };

/** Null if no event leaves: the months or the bucket are missing, or the months are wrong. */
export function historySettings(env: Bindings): HistorySettings | null {
  const { HISTORY_MONTHS: months, HISTORY: bucket } = env;
  return bucket !== undefined && isHistoryWhole(months, bucket) ? { months: Number(months), bucket } : null;
}

const MONTHS = /^([1-9]\d?|1[01]\d|120)$/;

/** Whether valid months and a bucket are both set, or neither is. */
export function isHistoryWhole(months = "", bucket: unknown): boolean {
  return bucket === undefined ? months === "" : MONTHS.test(months);
}

/** The first second of the oldest month that stays in the database, in UTC. Older events leave. */
export function horizonOf({ months }: Pick<HistorySettings, "months">, now: Date): string {
  return toDatetime(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
}
