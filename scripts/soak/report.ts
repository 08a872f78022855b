import { quantile } from "../lib/quantile.ts";
import type { FeedReport } from "./feeding.ts";
import type { MemoryReport } from "./memory.ts";
import type { StallReport } from "./stalls.ts";

/** Messages that reached apps, and how many milliseconds after the end of their second. */
export interface Arrivals {
  count: number;
  p50: number;
  p99: number;
}

export interface LiveReport {
  /** By what an app follows. */
  messages: Record<string, Arrivals>;
  /** Apps with a socket at the end. */
  connected: number;
  /** Changes that nobody could be notified of, even after the schedule ran. */
  outbox: number;
  /** Acknowledged messages that did not come in time, a line each. */
  missed: string[];
}

export interface SoakReport {
  seconds: number;
  connections: number;
  sockets: number;
  followers: number;
  seed: number;
  /** How many requests each endpoint has answered. */
  endpoints: Record<string, number>;
  feed: FeedReport;
  /** What open apps were notified of and given; null if the service ended before. */
  live: LiveReport | null;
  /** Resident memory of the Workers runtime, in MiB. */
  memory: MemoryReport;
  /** Null without `--stall`. */
  stalls: StallReport | null;
  /** What was refused because of a stall, and how often. */
  excused: Record<string, number>;
  /** What was not as expected, and how often. */
  errors: Record<string, number>;
  /** Where the database disagrees with what was acknowledged, or with its own records. */
  differences: string[];
}

const NAMED = 20;

export function arrivalsOf(took: readonly number[]): Arrivals {
  const at = (share: number) => Math.round(quantile(took, share) || 0);
  return { count: took.length, p50: at(0.5), p99: at(0.99) };
}

/** The report as a person reads it. */
export function toText({ seconds, endpoints, feed, live, memory, stalls, excused, errors, differences }: SoakReport) {
  const requests = Object.values(endpoints).reduce((sum, count) => sum + count, 0);
  const perSecond = (amount: number) => `${text(Math.round(amount / seconds))} a second`;
  return [
    `${text(requests)} requests in ${Math.round(seconds)} s, ${perSecond(requests)}`,
    `Feed: ${text(feed.lines)} lines in ${text(feed.requests)} requests, ${perSecond(feed.lines)}`,
    ...(live === null ? [] : liveLines(live)),
    ...(stalls === null
      ? []
      : [
          `Stalls: ${stalls.stalls} of ${stalls.seconds} s. Boards asked for meanwhile: ${text(stalls.boards.requests)}, longest ${text(stalls.boards.longestMs)} ms`,
          ...counted(excused).map((line) => `  refused: ${line}`),
        ]),
    `Memory: ${memory.start} MiB at the start, at most ${memory.warm} while it warmed up, ${memory.end} at the end`,
    differences.length === 0 ? "Totals: as acknowledged, and as counted from the records" : "Totals: wrong",
    ...indented(differences),
    ...counted(errors),
  ].join("\n");
}

function liveLines({ messages, connected, outbox, missed }: LiveReport): string[] {
  return [
    ...Object.entries(messages).map(
      ([follows, { count, p50, p99 }]) =>
        `Apps that follow ${follows}: ${text(count)} messages, p50 ${text(p50)} ms, p99 ${text(p99)} ms`,
    ),
    `Sockets: ${text(connected)} open at the end`,
    `Outbox: ${outbox === 0 ? "empty" : `${text(outbox)} changes that nobody was notified of`}`,
    missed.length === 0 ? "Messages: none missed" : "Messages: missed",
    ...indented(missed),
  ];
}

/** What the run has failed by, in a line; null when it has not. */
export function verdict({ errors, live, memory, differences }: SoakReport): string | null {
  const total = Object.values(errors).reduce((sum, times) => sum + times, 0);
  const faults = [
    ...(total > 0 ? [`${text(total)} errors`] : []),
    ...(differences.length > 0 ? [`${text(differences.length)} totals that differ`] : []),
    ...(live !== null && live.missed.length > 0 ? [`${text(live.missed.length)} messages missed`] : []),
    ...(live !== null && live.outbox > 0 ? [`${text(live.outbox)} changes left in the outbox`] : []),
    ...(memory.allowed !== null && memory.end > memory.allowed
      ? [`${memory.end} MiB at the end, where ${memory.allowed} are allowed`]
      : []),
  ];
  return faults.length === 0 ? null : `The soak failed: ${faults.join("; ")}.`;
}

function counted(faults: Readonly<Record<string, number>>): string[] {
  return Object.entries(faults)
    .slice(0, NAMED)
    .map(([fault, times]) => `${text(times)} × ${fault}`);
}

function indented(lines: readonly string[]): string[] {
  return lines.slice(0, NAMED).map((line) => `  ${line}`);
}

function text(number: number): string {
  return number.toLocaleString("en");
}
