import { quantile } from "../lib/quantile.ts";
import { table } from "../lib/table.ts";
import type { FeedReport } from "./feeding.ts";
import { type LiveReport, toLines } from "./live-report.ts";
import type { MemoryReport } from "./memory.ts";
import type { StallReport } from "./stalls.ts";
import type { EndpointReport } from "./traffic.ts";

export interface SoakReport {
  seconds: number;
  connections: number;
  sockets: number;
  followers: number;
  seed: number;
  endpoints: Record<string, { requests: number; statuses: Record<number, number>; p50: number; p99: number }>;
  feed: FeedReport;
  /** What open apps were told and given; null where the service ended before they could be. */
  live: LiveReport | null;
  /** Resident memory of the Workers runtime, in MiB. */
  memory: MemoryReport;
  /** Null where the primary was not made to stall. */
  stalls: StallReport | null;
  /** What was refused because of a stall, and how often. */
  excused: Record<string, number>;
  /** What was not as expected, and how often. */
  errors: Record<string, number>;
  /** Where the database says otherwise than what was acknowledged, or than its own records. */
  differences: string[];
}

const NAMED = 20;

export function summarize(endpoints: ReadonlyMap<string, EndpointReport>): SoakReport["endpoints"] {
  const names = [...endpoints.keys()].sort();
  return Object.fromEntries(
    names.map((name) => {
      const { requests, statuses, took } = endpoints.get(name) ?? { requests: 0, statuses: {}, took: [] };
      const at = (share: number) => Math.round((quantile(took, share) || 0) * 10) / 10;
      return [name, { requests, statuses, p50: at(0.5), p99: at(0.99) }];
    }),
  );
}

/** The report as a person reads it. */
export function toText(report: SoakReport): string {
  const { endpoints, feed, live, memory, errors, excused, stalls, differences, seconds } = report;
  const rows = Object.entries(endpoints).map(([name, { requests, p50, p99, statuses }]) => {
    const counts = Object.entries(statuses).map(([status, times]) => `${status}: ${count(times)}`);
    return [name, count(requests), String(p50), String(p99), counts.join(", ")];
  });
  const requests = Object.values(endpoints).reduce((sum, one) => sum + one.requests, 0);
  const { start, warm, end } = memory;
  return [
    table(["endpoint", "requests", "p50 ms", "p99 ms", "statuses"], rows),
    "",
    `${count(requests)} requests in ${Math.round(seconds)} s, ${count(Math.round(requests / seconds))} a second`,
    `Feed: ${count(feed.lines)} lines in ${count(feed.requests)} requests, ${count(Math.round(feed.lines / seconds))} lines a second`,
    "",
    ...(live === null ? [] : toLines(live)),
    ...(stalls === null ? [] : stallLines(stalls, excused)),
    `Memory: ${start} MiB at the start, at most ${warm} while it warmed up, ${end} at the end`,
    differences.length === 0 ? "Totals: as acknowledged, and as counted from the records" : "Totals: wrong",
    ...differences.slice(0, NAMED).map((difference) => `  ${difference}`),
    ...timesOf(errors),
  ].join("\n");
}

function stallLines({ stalls, seconds, boards }: StallReport, excused: SoakReport["excused"]): string[] {
  const { requests, p50, p99, longest } = boards;
  return [
    `Stalls: ${count(stalls)} of ${seconds} s. Boards asked for meanwhile: ${count(requests)}, p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`,
    ...timesOf(excused).map((line) => `  refused: ${line}`),
  ];
}

function timesOf(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults)
    .slice(0, NAMED)
    .map(([text, times]) => `${count(times)} × ${text}`);
}

/** What the run has failed by, in a line; null when it has not. */
export function verdict({ errors, live, memory, differences }: SoakReport): string | null {
  const total = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const faults = [
    ...(total > 0 ? [`${count(total)} errors`] : []),
    ...(differences.length > 0 ? [`${count(differences.length)} totals that differ`] : []),
    ...(live !== null && live.missed.length > 0 ? [`${count(live.missed.length)} messages missed`] : []),
    ...(live !== null && live.outbox > 0 ? [`${count(live.outbox)} changes left in the outbox`] : []),
    ...(memory.allowed !== null && memory.end > memory.allowed
      ? [`${memory.end} MiB at the end, where ${memory.allowed} are allowed`]
      : []),
  ];
  return faults.length === 0 ? null : `The soak failed: ${faults.join("; ")}.`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}
