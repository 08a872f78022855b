import { formatNumber } from "../lib/format.ts";
import type { FeedReport } from "./feeding.ts";
import type { MemoryReport } from "./memory.ts";
import type { StallReport } from "./stalls.ts";

export interface SoakReport {
  seconds: number;
  connections: number;
  seed: number;
  /** The number of answers of each endpoint. */
  endpoints: Record<string, number>;
  feed: FeedReport;
  /** The resident memory of the Workers runtime, in MiB. */
  memory: MemoryReport;
  /** Null without `--stall`. */
  stalls: StallReport | null;
  /** How often each error occurred that a stall excuses. */
  excused: Record<string, number>;
  /** How often each other error occurred. */
  errors: Record<string, number>;
  /** Answers that differ from the model's, and derived data that differs from a recount. */
  differences: string[];
}

const MOST_SHOWN = 20;

export function toText({ seconds, endpoints, feed, memory, stalls, excused, errors, differences }: SoakReport) {
  const requests = Object.values(endpoints).reduce((sum, times) => sum + times, 0);
  const perSecond = (amount: number) => `${formatNumber(Math.round(amount / seconds))} a second`;
  return [
    `${formatNumber(requests)} requests in ${Math.round(seconds)} s, ${perSecond(requests)}`,
    `Feed: ${formatNumber(feed.lines)} lines in ${formatNumber(feed.requests)} requests, ${perSecond(feed.lines)}`,
    ...(stalls === null
      ? []
      : [`Stalls: ${stalls.stalls} of ${stalls.seconds} s`, ...counted(excused).map((line) => `  refused: ${line}`)]),
    `Memory: ${memory.start} MiB at the start, at most ${memory.warm} while it warmed up, ${memory.end} at the end`,
    differences.length === 0 ? "Answers and events: the model's. Derived data: as recounted" : "Differences:",
    ...differences.slice(0, MOST_SHOWN).map((line) => `  ${line}`),
    ...counted(errors),
  ].join("\n");
}

/** A sentence that says why the run has failed; null if it has not. */
export function verdict({ errors, memory, differences }: SoakReport): string | null {
  const total = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const faults = [
    ...(total > 0 ? [`${formatNumber(total)} errors`] : []),
    ...(differences.length > 0 ? [`${formatNumber(differences.length)} differences`] : []),
    ...(memory.allowed !== null && memory.end > memory.allowed
      ? [`${memory.end} MiB at the end, where ${memory.allowed} are allowed`]
      : []),
  ];
  return faults.length === 0 ? null : `The soak failed: ${faults.join("; ")}.`;
}

function counted(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults)
    .slice(0, MOST_SHOWN)
    .map(([fault, times]) => `${formatNumber(times)} × ${fault}`);
}
