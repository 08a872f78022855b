// The largest database of D1, on any plan.
const LARGEST_BYTES = 10_000_000_000;
const WARNED_AT_PERCENT = [70, 85, 95];

// The greatest percentage that this isolate has warned of.
let warnedAt = 0;

/** Warns in the log once for each of these percentages of the largest size that the database passes. */
export function warnOfSize(databaseBytes: number | null): void {
  const isBeyond = (percent: number) => Number(databaseBytes) >= (percent / 100) * LARGEST_BYTES;
  const percent = WARNED_AT_PERCENT.findLast(isBeyond) ?? 0;
  if (percent <= warnedAt) return;
  warnedAt = percent;
  console.warn(JSON.stringify({ warning: "DATABASE_SIZE", percent, databaseBytes }));
}
