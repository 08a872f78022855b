import { quantile } from "../lib/quantile.ts";
import { table } from "../lib/table.ts";
import type { SocketCounts } from "./app-socket.ts";
import type { Follower } from "./followers.ts";

/** What became of the messages that were due to one sort of listener. */
export interface ListenerReport {
  name: string;
  count: number;
  /** Messages, each once for everybody who was to be given it, or told of it. */
  messages: number;
  /** Milliseconds from the end of a message's second until it came. */
  p50: number | null;
  p99: number | null;
  /** How many polls there were, and how many of them did not ask the database; null for sockets. */
  polls: number | null;
  quiet: number | null;
}

export interface LiveReport {
  listeners: ListenerReport[];
  sockets: SocketCounts & { open: number; connections: number };
  /** Changes that nobody could be told of, even after the schedule ran. */
  outbox: number;
  /** Acknowledged messages that did not come in time, a line each. */
  missed: string[];
}

const NAMED = 20;

export function toListenerReport(
  name: string,
  { count, took, polled }: { count: number; took: readonly number[]; polled?: readonly Follower[] },
): ListenerReport {
  const at = (share: number) => (took.length === 0 ? null : Math.round(quantile(took, share)));
  const sum = (of: "polls" | "quiet") => polled?.reduce((total, follower) => total + follower[of], 0) ?? null;
  return { name, count, messages: took.length, p50: at(0.5), p99: at(0.99), polls: sum("polls"), quiet: sum("quiet") };
}

/** The report as a person reads it, in lines. */
export function toLines({ listeners, sockets, outbox, missed }: LiveReport): string[] {
  const rows = listeners.map(({ name, count, messages, p50, p99, polls, quiet }) => [
    `${number(count)} ${name}`,
    number(messages),
    p50 === null ? "–" : number(p50),
    p99 === null ? "–" : number(p99),
    polls === null ? "–" : number(polls),
    quiet === null ? "–" : number(quiet),
  ]);
  const { open, connections, dropped, closed, answered, frames, pings, pongs } = sockets;
  return [
    table(["listeners", "messages", "p50 ms", "p99 ms", "polls", "quiet"], rows),
    "",
    `Sockets: ${number(connections)} connections, ${number(dropped)} of them dropped, ${number(open)} open at the end`,
    `Answered: ${number(pongs)} of ${number(pings)} pings, ${number(answered)} of ${number(closed)} close frames`,
    `Frames: ${Object.entries(frames)
      .map(([what, times]) => `${number(times)} of ${what}`)
      .join(", ")}`,
    `Outbox: ${outbox === 0 ? "empty" : `${number(outbox)} changes that nobody was told of`}`,
    missed.length === 0 ? "Messages: none missed" : "Messages: missed",
    ...missed.slice(0, NAMED).map((one) => `  ${one}`),
  ];
}

function number(value: number): string {
  return value.toLocaleString("en");
}
