import { spawn } from "node:child_process";
import { constants } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "./command-error.ts";

export { CommandError };

/** The folder of the project, wherever a command was started from. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The environment of a tool: it reports nothing to anybody, and does not look up where it is. */
export const toolEnv = () => ({
  ...process.env,
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});

const SIGNAL_MS = 100;

/** Ctrl-C, or a kill, that a command has waited for something to end before. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly status: number;

  constructor(signal: NodeJS.Signals) {
    super("Stopped.");
    this.status = 128 + constants.signals[signal];
  }
}

/** Runs a command's main function: an error of the user is one line, with status 1; a bug has its stack. */
export async function main(run: () => Promise<unknown>): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopUnlessHandled(signal));
  // scripts/run.mjs was killed and could pass nothing on.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
  try {
    await run();
  } catch (error) {
    // Ctrl-C reaches the bundler too, whose end may be heard of before the signal.
    if (!isExplained(error)) await sleep(SIGNAL_MS);
    console.error(isExplained(error) ? error.message : error);
    process.exitCode = error instanceof Interrupted ? error.status : 1;
  }
}

/** Ends a command, unless something else listens for the signal: that puts away its things, and ends the command. */
function stopUnlessHandled(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  console.error(new Interrupted(signal).message);
  process.exit(128 + constants.signals[signal]);
}

/** Whether the message of an error is enough. An error of the file system names the call and the path. */
function isExplained(error: unknown): error is Error {
  return (
    error instanceof CommandError ||
    error instanceof Interrupted ||
    (error instanceof Error && "syscall" in error && "path" in error)
  );
}

export interface ToolOptions {
  /** Whether the caller gets what the tool prints in place of the terminal, or both do. The tool has no input then. */
  capture?: boolean | "and show";
  /** Where the tool's output goes, in place of this process's own. */
  into?: Writable;
  env?: Record<string, string>;
  /** Ends it with SIGTERM, upon which it resolves with status 1. */
  signal?: AbortSignal;
}

/**
 * Runs a tool of the project in its folder. Resolves with its exit status and what it printed when that is captured:
 * `output` has warnings too.
 * Ctrl-C reaches the tool as well: it is waited for, so that nothing is left running or half said.
 */
export function runTool(
  tool: string,
  args: readonly string[],
  { capture = false, into, env = {}, signal }: ToolOptions = {},
): Promise<{ status: number; output: string; stdout: string }> {
  return new Promise((resolve, reject) => {
    const isPiped = capture !== false || into !== undefined;
    const child = spawn(path.join(ROOT, "node_modules", ".bin", tool), args, {
      cwd: ROOT,
      stdio: isPiped ? ["ignore", "pipe", "pipe"] : "inherit",
      env: { ...toolEnv(), ...env },
    });
    signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
    let stopped: NodeJS.Signals | undefined;
    const onSignal = (received: NodeJS.Signals) => {
      stopped = received;
      if (received === "SIGTERM") child.kill(received);
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    let [output, stdout] = ["", ""];
    for (const stream of [child.stdout, child.stderr]) {
      if (into !== undefined) stream?.pipe(into, { end: false });
      else
        stream?.on("data", (data) => {
          output += data;
          if (stream === child.stdout) stdout += data;
          if (capture === "and show") process.stderr.write(data);
        });
    }
    child.on("error", reject);
    child.on("close", (status) => {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
      if (stopped === undefined) resolve({ status: status ?? 1, output, stdout });
      else reject(new Interrupted(stopped));
    });
  });
}
