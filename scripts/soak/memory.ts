import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CommandError } from "../lib/command-error.ts";

/** The resident memory of the Workers runtimes that a process has started, in MiB. */
export async function runtimeMemory(pid: number): Promise<number> {
  // `ps` gets a process group of its own, so that a terminal's Ctrl-C, which ends the load, does not end `ps`.
  const ps = spawn("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [listed, [status]] = await Promise.all([text(ps.stdout), once(ps, "exit")]);
  if (status !== 0) throw new CommandError(`Memory cannot be measured: ps ended with status ${status}.`);
  const processes = listed.split("\n").map((line) => {
    const [id, parent, kibibytes, ...command] = line.trim().split(/\s+/);
    return { id: Number(id), parent: Number(parent), kibibytes: Number(kibibytes), command: command.join(" ") };
  });
  const processIds = new Set([pid]);
  for (let sizeBefore = 0; sizeBefore < processIds.size; ) {
    sizeBefore = processIds.size;
    for (const { id, parent } of processes) if (processIds.has(parent)) processIds.add(id);
  }
  const runtimes = processes.filter(({ id, command }) => processIds.has(id) && command.includes("workerd"));
  return runtimes.reduce((sum, { kibibytes }) => sum + kibibytes, 0) / 1_024;
}

/** The memory at a time. */
export interface MemorySample {
  /** Seconds since the run began. */
  at: number;
  /** How many requests had been answered. */
  requests: number;
  mebibytes: number;
}

export interface MemoryReport {
  start: number;
  /** The maximum of the first minute, or of the first 10,000 requests if they take longer. */
  warm: number;
  /** The median of the last half minute. */
  end: number;
  /** The largest value of `end` that is no failure; null if the run was too short to tell. */
  allowed: number | null;
}

const WARM_UP_SECONDS = 60;
const WARM_UP_REQUESTS = 10_000;
const LAST_SECONDS = 30;
// `end` may be this much larger than `warm`. A run without a leak had 1,233, then 1,608, then 1,448 MiB in five
// minutes.
const TOLERANCE = 0.5;

export function reportMemory(samples: readonly MemorySample[]): MemoryReport {
  const last = samples.at(-1);
  if (last === undefined) return { start: 0, warm: 0, end: 0, allowed: null };
  const isWarmUp = ({ at, requests }: MemorySample) => at <= WARM_UP_SECONDS || requests <= WARM_UP_REQUESTS;
  const warm = Math.max(...samples.filter(isWarmUp).map(({ mebibytes }) => mebibytes));
  const lastValues = samples.filter(({ at }) => at >= last.at - LAST_SECONDS).map(({ mebibytes }) => mebibytes);
  const end = lastValues.sort((first, second) => first - second)[Math.floor(lastValues.length / 2)] ?? 0;
  const isLongEnough = last.at >= 2 * WARM_UP_SECONDS && last.requests >= 2 * WARM_UP_REQUESTS;
  return {
    start: Math.round(samples[0]?.mebibytes ?? 0),
    warm: Math.round(warm),
    end: Math.round(end),
    allowed: isLongEnough ? Math.round(warm * (1 + TOLERANCE)) : null,
  };
}
