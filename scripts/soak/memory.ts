import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CommandError } from "../lib/project.ts";

/** The resident memory of the Workers runtimes that are children of a process, in MiB. */
export async function runtimeMemory(pid: number): Promise<number> {
  // `ps` gets a process group of its own, so that a terminal's Ctrl-C, which ends the load, does not end `ps`.
  const ps = spawn("ps", ["-A", "-o", "ppid=,rss=,comm="], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(ps.stdout), once(ps, "exit")]);
  if (status !== 0) throw new CommandError(`Memory cannot be measured: ps ended with status ${status}.`);
  const runtimes = [...output.matchAll(/^ *(?<parent>\d+) +(?<kibibytes>\d+) .*workerd/gm)];
  const ownRuntimes = runtimes.filter(({ groups }) => Number(groups?.parent) === pid);
  return ownRuntimes.reduce((sum, { groups }) => sum + Number(groups?.kibibytes), 0) / 1_024;
}
