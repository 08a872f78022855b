import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** A command of the project under way, with what it has printed so far. */
export interface Running {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the exit status. */
  ended: Promise<number | null>;
}

export interface CommandOptions {
  stdin?: string;
  env?: Record<string, string>;
}

/** Runs a command as `npm run` does, in a process group of its own. */
export function command(name: string, args: readonly string[], { stdin = "", env = {} }: CommandOptions = {}): Running {
  return running("node", [path.join(ROOT, "scripts", "run.mjs"), name, ...args], { stdin, env });
}

/** Runs a program of the project's, or of another, folder. */
export function running(
  file: string,
  args: readonly string[],
  { stdin = "", env = {}, cwd = ROOT }: CommandOptions & { cwd?: string } = {},
): Running {
  const child = spawn(file, args, { detached: true, cwd, env: { ...process.env, ...env } });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  child.stderr.on("data", (data) => {
    output += data;
  });
  // A command that ends before it has read everything closes the pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  return { child, output: () => output, ended: once(child, "exit").then(([status]) => status) };
}

/** Presses Ctrl-C: the signal reaches the whole group, as a terminal sends it. */
export function pressCtrlC({ child }: Running): void {
  process.kill(-Number(child.pid), "SIGINT");
}

/** Waits until the command has printed what it should. */
export async function printed({ child, output }: Running, text: string): Promise<void> {
  while (!output().includes(text)) {
    if (child.exitCode !== null) throw new Error(`It ended without printing "${text}":\n${output()}`);
    await sleep(100);
  }
}

// Below the ports that systems give to connections by themselves, and each process of vitest has a hundred of its own.
let nextPort = 20_000 + 100 * Number(process.env.VITEST_POOL_ID);

/** A port of 127.0.0.1 that nothing listens on, and that nobody else is given before it is used. */
export async function freePort(): Promise<number> {
  const port = nextPort;
  nextPort += 1;
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!free) return freePort();
  server.close();
  await once(server, "close");
  return port;
}
