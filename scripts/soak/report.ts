import { formatNumber } from "../lib/format.ts";
import { quantile } from "../lib/quantile.ts";
import { type Counts, type MemorySample, sumOf } from "./load.ts";

export interface SoakReport {
  seconds: number;
  connections: number;
  seed: number;
  /** The number of answers of each endpoint. */
  answers: Counts;
  /** The number of lines and requests. Each line was sent twice. */
  feed: { lines: number; requests: number };
  memory: MemoryReport;
  stalls: number;
  /** How often each error occurred that a stall excuses. */
  excused: Counts;
  /** How often each other error occurred. */
  errors: Counts;
  /** Answers and events that differ from the model's, and derived data that differs from a recount. */
  differences: string[];
}

/** The resident memory of the Workers runtime, in MiB. */
interface MemoryReport {
  /** The maximum of the first minute, or of the first 10,000 requests if they take longer. */
  warm: number;
  /** The median of the last half minute. */
  end: number;
  /** The largest value of `end` that is no failure; null if the run was too short to tell. */
  allowed: number | null;
}

const MOST_SHOWN = 20;
const WARM_UP_SECONDS = 60;
const WARM_UP_REQUESTS = 10_000;
const LAST_SECONDS = 30;
// `end` may be this much larger than `warm`. A run without a leak had 1,233, then 1,608, then 1,448 MiB in five
// minutes.
const TOLERANCE = 0.5;

export function reportMemory(samples: readonly MemorySample[]): MemoryReport {
  const last = samples.at(-1);
  if (last === undefined) return { warm: 0, end: 0, allowed: null };
  const isWarmUp = ({ at, requests }: MemorySample) => at <= WARM_UP_SECONDS || requests <= WARM_UP_REQUESTS;
  const isAtEnd = ({ at }: MemorySample) => at >= last.at - LAST_SECONDS;
  const mebibytesOf = (isIncluded: (sample: MemorySample) => boolean) =>
    samples.filter(isIncluded).map(({ mebibytes }) => mebibytes);
  const warm = Math.max(...mebibytesOf(isWarmUp));
  const isLongEnough = last.at >= 2 * WARM_UP_SECONDS && last.requests >= 2 * WARM_UP_REQUESTS;
  return {
    warm: Math.round(warm),
    end: Math.round(quantile(mebibytesOf(isAtEnd), 0.5)),
    allowed: isLongEnough ? Math.round(warm * (1 + TOLERANCE)) : null,
  };
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
