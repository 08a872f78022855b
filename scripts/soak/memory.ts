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
  const [output, [status]] = await Promise.all([text(ps.stdout), once(ps, "exit")]);
  if (status !== 0) throw new CommandError(`Memory cannot be measured: ps ended with status ${status}.`);
  const processes = output.split("\n").map((line) => {
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
