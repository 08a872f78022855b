import { toDatetime } from "../values/time.ts";

const MONTHS = /^([1-9]\d?|1[01]\d|120)$/;

/** Whether the variable `RETENTION_MONTHS` turns retention on: how many whole months before the current month are kept. */
export function areMonths(text: string): boolean {
  return MONTHS.test(text);
}

/** The first second of the oldest month that is kept, in UTC. */
export function horizonOf(months: number, now: Date): string {
  return toDatetime(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)));
}
