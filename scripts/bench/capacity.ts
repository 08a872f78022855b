import { table } from "../lib/table.ts";
import { compared, LEAST_SQL_MS, largest, type Report, sqlMilliseconds, times } from "./report.ts";

/** How many requests of each case one database can answer in a second: it does one thing after the other. */
export function capacityTable(report: Report): string {
  const rows = compared(report, largest(report), "ours").map((one) => [
    one.endpoint,
    one.name,
    one.rowsRead.toLocaleString("en"),
    one.roundTrips === 0 ? "–" : sqlMilliseconds(one.sqlMilliseconds),
    one.roundTrips === 0 ? "–" : perSecond(one.sqlMilliseconds),
  ]);
  return table(["endpoint", "case", "rows", "SQLite ms", "requests/s"], rows);
}

/** The densest place with more campaigns for all stores, against the place without them. */
export function crowdedTable({ crowded }: Report): string {
  const [without] = crowded;
  const rows = crowded.map((one) => [
    one.name,
    one.p50.toFixed(2),
    (one.p50 / one.baseline).toFixed(2),
    times(one.p50 / (without?.p50 ?? Number.NaN)),
    sqlMilliseconds(one.sqlMilliseconds),
    one.rowsRead.toLocaleString("en"),
    times(one.rowsRead / (without?.rowsRead ?? Number.NaN)),
  ]);
  const head = ["campaigns more", "p50 ms", "to baseline", "to none more", "SQLite ms", "rows", "to none more"];
  return table(head, rows);
}

function perSecond(milliseconds: number): string {
  if (milliseconds < LEAST_SQL_MS) return `> ${(1_000 / LEAST_SQL_MS).toLocaleString("en")}`;
  // Two figures: more are not known.
  return Number((1_000 / milliseconds).toPrecision(2)).toLocaleString("en");
}
