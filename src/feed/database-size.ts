// D1's largest database, which no plan makes larger.
const LARGEST_BYTES = 10_000_000_000;
const WARNED_AT_PERCENT = [70, 85, 95];

/** What has been warned of in this isolate, in percent. */
let warned = 0;

/** Writes a line into the log once a database has grown beyond 70, 85 and 95 % of what it can hold. */
export function warnOfSize(bytes: number | null): void {
  if (bytes === null) return;
  const percent = WARNED_AT_PERCENT.findLast((one) => bytes >= (one / 100) * LARGEST_BYTES) ?? 0;
  if (percent <= warned) return;
  warned = percent;
  console.warn(JSON.stringify({ warning: "DATABASE_SIZE", percent, databaseBytes: bytes }));
}
