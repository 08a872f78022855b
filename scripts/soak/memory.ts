import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The resident memory of the Workers runtimes that a process has started, in MiB; null where Ctrl-C has ended `ps` too. */
export async function runtimeMemory(pid: number): Promise<number | null> {
  const stdout = await listProcesses();
  if (stdout === null) return null;
  const processes = stdout.split("\n").map((line) => {
    const [id, parent, kibibytes, ...command] = line.trim().split(/\s+/);
    return { id: Number(id), parent: Number(parent), kibibytes: Number(kibibytes), command: command.join(" ") };
  });
  const ours = new Set([pid]);
  for (let before = 0; before < ours.size; ) {
    before = ours.size;
    for (const { id, parent } of processes) if (ours.has(parent)) ours.add(id);
  }
  const runtimes = processes.filter(({ id, command }) => ours.has(id) && command.includes("workerd"));
  return runtimes.reduce((sum, { kibibytes }) => sum + kibibytes, 0) / 1_024;
}

async function listProcesses(): Promise<string | null> {
  try {
    return (await run("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="])).stdout;
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGINT") return null;
    throw error;
  }
}

/** What was measured at a time, in seconds since the run began, after so many requests. */
export interface MemorySample {
  at: number;
  requests: number;
  mebibytes: number;
}

export interface MemoryReport {
  start: number;
  /** The most while the runtime grew to its size: the first minute, and 10,000 requests where those take longer. */
  warm: number;
  /** The middle of what was measured in the last half minute. */
  end: number;
  /** What the end may come to; null where the run was too short to tell. */
  allowed: number | null;
}

const WARM_UP_SECONDS = 60;
const WARM_UP_REQUESTS = 10_000;
const LAST_SECONDS = 30;
// What the runtime's memory breathes by, and less than a leak would come to (docs/decisions.md).
const TOLERANCE = 0.5;

export function reportMemory(samples: readonly MemorySample[]): MemoryReport {
  const last = samples.at(-1);
  if (last === undefined) return { start: 0, warm: 0, end: 0, allowed: null };
  const isWarmUp = ({ at, requests }: MemorySample) => at <= WARM_UP_SECONDS || requests <= WARM_UP_REQUESTS;
  const warm = Math.max(...samples.filter(isWarmUp).map(({ mebibytes }) => mebibytes));
  const atEnd = samples.filter(({ at }) => at >= last.at - LAST_SECONDS).map(({ mebibytes }) => mebibytes);
  const end = atEnd.sort((one, other) => one - other)[Math.floor(atEnd.length / 2)] ?? 0;
  const tells = last.at >= 2 * WARM_UP_SECONDS && last.requests >= 2 * WARM_UP_REQUESTS;
  return {
    start: Math.round(samples[0]?.mebibytes ?? 0),
    warm: Math.round(warm),
    end: Math.round(end),
    allowed: tells ? Math.round(warm * (1 + TOLERANCE)) : null,
  };
}
