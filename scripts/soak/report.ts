import { count } from "../lib/words.ts";
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
  /** How often each error was excused by a stall. */
  excused: Record<string, number>;
  /** How often there was each other error. */
  errors: Record<string, number>;
  /** Where the service differs from the model, or derived data from a recount. */
  differences: string[];
}

const NAMED = 20;

export function toText({ seconds, endpoints, feed, memory, stalls, excused, errors, differences }: SoakReport) {
  const requests = Object.values(endpoints).reduce((sum, times) => sum + times, 0);
  const perSecond = (amount: number) => `${count(Math.round(amount / seconds))} a second`;
  return [
    `${count(requests)} requests in ${Math.round(seconds)} s, ${perSecond(requests)}`,
    `Feed: ${count(feed.lines)} lines in ${count(feed.requests)} requests, ${perSecond(feed.lines)}`,
    ...(stalls === null
      ? []
      : [
          `Stalls: ${stalls.stalls} of ${stalls.seconds} s. Boards asked for meanwhile: ${count(stalls.boards.requests)}, longest ${count(stalls.boards.longestMs)} ms`,
          ...counted(excused).map((line) => `  refused: ${line}`),
        ]),
    `Memory: ${memory.start} MiB at the start, at most ${memory.warm} while it warmed up, ${memory.end} at the end`,
    differences.length === 0 ? "Answers and events: the model's. Derived data: as recounted" : "Differences:",
    ...differences.slice(0, NAMED).map((line) => `  ${line}`),
    ...counted(errors),
  ].join("\n");
}

/** Why the run has failed, in a line; null: it has not. */
export function verdict({ errors, memory, differences }: SoakReport): string | null {
  const total = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const faults = [
    ...(total > 0 ? [`${count(total)} errors`] : []),
    ...(differences.length > 0 ? [`${count(differences.length)} differences`] : []),
    ...(memory.allowed !== null && memory.end > memory.allowed
      ? [`${memory.end} MiB at the end, where ${memory.allowed} are allowed`]
      : []),
  ];
  return faults.length === 0 ? null : `The soak failed: ${faults.join("; ")}.`;
}

function counted(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults)
    .slice(0, NAMED)
    .map(([fault, times]) => `${count(times)} × ${fault}`);
}
