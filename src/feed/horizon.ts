import { toDatetime } from "../values/time.ts";

/** What a deployment keeps of old events (docs/contract/history.md, 1). */
export interface HistorySettings {
  /** Whole months before this one. */
  months: number;
  /** Where the events of earlier months go. */
  bucket: R2Bucket;
}

/** As bound where an operator wants history; wrangler.toml says how. */
type Bindings = Partial<Pick<Env, "HISTORY_MONTHS">> & { HISTORY?: R2Bucket };

/** The settings, or null where nothing leaves: also where one of the two is missing or wrong. */
export function historySettings(env: Bindings): HistorySettings | null {
  const { HISTORY_MONTHS: months, HISTORY: bucket } = env;
  return bucket !== undefined && isHistoryWhole(months, bucket) ? { months: Number(months), bucket } : null;
}

const MONTHS = /^([1-9]\d?|1[01]\d|120)$/;

/** Whether there are months and a bucket, or neither. */
export function isHistoryWhole(months = "", bucket: unknown): boolean {
  return bucket === undefined ? months === "" : MONTHS.test(months);
}

/** The first second, in UTC, of the month that is so many months before this one: what is older leaves. */
export function horizonOf({ months }: Pick<HistorySettings, "months">, now: Date): string {
  return toDatetime(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
}

/** The horizon of a deployment now; null where nothing leaves. */
export function currentHorizon(env: Bindings): string | null {
  const settings = historySettings(env);
  return settings && horizonOf(settings, new Date());
}
