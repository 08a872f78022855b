import { formatNumber } from "../lib/format.ts";
import { quantile } from "../lib/quantile.ts";
import { type Counts, type Load, sumOf } from "./load.ts";

export interface SoakReport extends Pick<Load, "seconds" | "answers" | "feed" | "excused" | "errors"> {
  connections: number;
  seed: number;
  memory: MemoryReport;
  stalls: number;
  /** Answers and events that differ from the model's, and derived data that differs from a recount. */
  differences: string[];
}

/** The resident memory of the Workers runtime, in MiB. */
interface MemoryReport {
  /** The maximum of the first fifth of the run. */
  warm: number;
  /** The median of the last tenth. */
  end: number;
  /** The largest value of `end` that is no failure; null if the run was too short to tell. */
  allowed: number | null;
}

const MOST_SHOWN = 20;
const LONG_ENOUGH_SECONDS = 120;
// `end` may be this much larger than `warm`. A run without a leak had 1,233, then 1,608, then 1,448 MiB in five
// minutes.
const TOLERANCE = 0.5;

/** @param samples the memory in MiB, at even intervals. */
export function reportMemory(samples: readonly number[], seconds: number): MemoryReport {
  const warm = Math.max(...samples.slice(0, Math.ceil(samples.length / 5)));
  const end = quantile(samples.slice(-Math.ceil(samples.length / 10)), 0.5);
  const allowed = seconds < LONG_ENOUGH_SECONDS ? null : Math.round(warm * (1 + TOLERANCE));
  return { warm: Math.round(warm), end: Math.round(end), allowed };
}

export function toText({ seconds, answers, feed, memory, stalls, excused, errors, differences }: SoakReport): string {
  const requests = sumOf(answers);
  const perSecond = (amount: number) => `${formatNumber(Math.round(amount / seconds))} a second`;
  return [
    `${formatNumber(requests)} requests in ${Math.round(seconds)} s, ${perSecond(requests)}`,
    `Feed: ${formatNumber(feed.lines)} lines in ${formatNumber(feed.requests)} requests, ${perSecond(feed.lines)}`,
    `Stalls: ${stalls}`,
    ...counted(excused).map((line) => `  refused: ${line}`),
    `Memory: at most ${memory.warm} MiB while it warmed up, ${memory.end} at the end`,
    differences.length === 0 ? "Answers and events: the model's. Derived data: as recounted" : "Differences:",
    ...differences.slice(0, MOST_SHOWN).map((line) => `  ${line}`),
    ...counted(errors),
  ].join("\n");
}

/** A sentence that says why the run has failed; null if it has not. */
export function verdict({ errors, memory, differences }: SoakReport): string | null {
  const total = sumOf(errors);
  const faults = [
    ...(total > 0 ? [`${formatNumber(total)} errors`] : []),
    ...(differences.length > 0 ? [`${formatNumber(differences.length)} differences`] : []),
    ...(memory.allowed !== null && memory.end > memory.allowed
      ? [`${memory.end} MiB at the end, where ${memory.allowed} are allowed`]
      : []),
  ];
  return faults.length === 0 ? null : `The soak failed: ${faults.join("; ")}.`;
}

function counted(errors: Readonly<Counts>): string[] {
  return Object.entries(errors)
    .slice(0, MOST_SHOWN)
    .map(([error, times]) => `${formatNumber(times)} × ${error}`);
}
