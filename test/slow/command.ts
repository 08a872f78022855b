import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = path.resolve(import.meta.dirname, "../..");

const PRINTED_WITHIN_MS = 240_000;
const SHOWN_CHARACTERS = 4_000;

/** A command of the project that was started, with what it has printed so far. */
export interface Running {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the exit status, once `output` has all that the command and its children have printed. */
  ended: Promise<number | null>;
}

export interface CommandOptions {
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
}

/** Starts a command of the project, or of a clone, as `npm run` does. */
export function startCommand(name: string, args: readonly string[], options: CommandOptions = {}): Running {
  return startProgram("node", ["scripts/run.mjs", name, ...args], options);
}

/** Starts a program in a process group of its own. */
export function startProgram(
  file: string,
  args: readonly string[],
  { stdin = "", env = {}, cwd = ROOT }: CommandOptions = {},
): Running {
  // INIT_CWD is where npm was called. Commands look for files there.
  const child = spawn(file, args, { detached: true, cwd, env: { ...process.env, INIT_CWD: cwd, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  // Writing fails if the command ends before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  // The event "exit" may come before the last part of the output.
  const ended = once(child, "close").then(([status]) => status as number | null);
  const started: Running = { child, output: () => output, ended };
  commands.set(started, [file, ...args].join(" "));
  return started;
}

/** The commands that ran during the current test, each with its command line. */
const commands = new Map<Running, string>();

/** The last output of each command. Forgets the commands that have ended. */
export function takeOutputs(): string[] {
  return [...commands].map(([started, line]) => {
    const { child, output } = started;
    const status = child.exitCode ?? child.signalCode;
    if (status !== null) commands.delete(started);
    const state = status === null ? "still running" : `ended with ${status}`;
    return `${line}\n(${state})\n${output().slice(-SHOWN_CHARACTERS)}`;
  });
}

export async function stop(started: Running): Promise<number | null> {
  if (isRunning(started)) pressCtrlC(started);
  return started.ended;
}

/** Stops the services that the tests of a file have started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...commands.keys()].map(stop));
}

/** Presses Ctrl-C: the signal reaches the whole group, as a terminal sends it. */
export function pressCtrlC({ child }: Running): void {
  process.kill(-Number(child.pid), "SIGINT");
}

/** Whether any process of the command's group is left. */
export function isRunning({ child }: Running): boolean {
  try {
    return process.kill(-Number(child.pid), 0);
  } catch {
    return false;
  }
}

/** Waits until the command has printed a text. Gives up before vitest does, so that the error shows the output. */
export async function untilPrinted({ output, ended }: Running, text: string): Promise<void> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (const deadline = Date.now() + PRINTED_WITHIN_MS; !output().includes(text); await sleep(100)) {
    if (hasEnded) throw new Error(`It ended without printing "${text}":\n${output()}`);
    if (Date.now() > deadline) throw new Error(`It did not print "${text}" in time:\n${output()}`);
  }
}

/** A port of 127.0.0.1 that nothing listens on. It is random, so that other runs of the tests take other ports. */
export async function freePort(): Promise<number> {
  // Operating systems use higher ports for outgoing connections.
  const port = randomInt(10_000, 30_000);
  const probe = createServer().listen(port, "127.0.0.1");
  const isFree = await once(probe, "listening").then(
    () => true,
    () => false,
  );
  probe.close();
  return isFree ? port : freePort();
}
