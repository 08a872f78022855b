import { toDatetime } from "../values/time.ts";

const MONTHS = /^([1-9]\d?|1[01]\d|120)$/;

/** The value of `RETENTION_MONTHS`: how many whole months before the current month are kept. Null: retention is off. */
export function monthsOf(text: string): number | null {
  return MONTHS.test(text) ? Number(text) : null;
}

/** The first second of the oldest month that is kept, in UTC. */
export function horizonOf(months: number, now: Date): string {
  return toDatetime(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
}
