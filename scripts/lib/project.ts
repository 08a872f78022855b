import { spawn } from "node:child_process";
import { constants } from "node:os";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** Environment variables for tools: wrangler must send no metrics, and ask no service where this machine is. */
const toolEnv = () => ({
  ...process.env,
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
});

/**
 * The variables of the shell. An empty variable counts as not set: a workflow passes a secret that it lacks as an empty
 * text.
 */
export function shellVariables(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
}

/** An error for the user. The command prints its message without a stack, and ends with status 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A command was stopped by Ctrl-C or a kill, and has cleaned up. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly status: number;

  constructor(signal: NodeJS.Signals) {
    super("Stopped.");
    this.status = 128 + constants.signals[signal];
  }
}

/**
 * Runs work that cleans up when it is stopped. Ctrl-C or a kill aborts `stop`; a second Ctrl-C ends the process at
 * once.
 * @throws Interrupted if the work fails after the signal.
 */
export async function stoppable<Result>(
  work: (stop: AbortSignal) => Promise<Result>,
  onStop = () => {},
): Promise<Result> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal);
    if (stop.signal.aborted && signal === "SIGINT") process.exit(interrupted.status);
    stop.abort(interrupted);
    onStop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    return await work(stop.signal);
  } catch (error) {
    // After a stop, the error is only a consequence, such as an aborted request. Then Interrupted is thrown instead.
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

export interface ToolOptions {
  /**
   * true: the output goes to the caller, not to the terminal. "and show": to both. In both cases the tool has no input.
   */
  capture?: boolean | "and show";
  /** More variables; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** Is called with each message that the tool, a program of Node, sends to its parent process. Needs `capture`. */
  onMessage?: (message: unknown) => void;
  /** If it aborts, the tool gets SIGTERM, and the status is 1. */
  signal?: AbortSignal;
}

/**
 * Runs a tool of node_modules in the project's folder. Resolves with its exit status and its captured output. Ctrl-C
 * reaches the tool as well, and this function waits until the tool has ended.
 */
export function runTool(
  tool: string,
  args: readonly string[],
  { capture = false, env = {}, onMessage, signal }: ToolOptions = {},
): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(ROOT, "node_modules", ".bin", tool), args, {
      cwd: ROOT,
      stdio: capture ? ["ignore", "pipe", "pipe", ...(onMessage ? ["ipc" as const] : [])] : "inherit",
      env: { ...toolEnv(), ...env },
    });
    signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
    let stopSignal: NodeJS.Signals | undefined;
    const onSignal = (name: NodeJS.Signals) => {
      stopSignal = name;
      if (name === "SIGTERM") child.kill(name);
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data) => {
        output += data;
        if (capture === "and show") process.stderr.write(data);
      });
    }
    if (onMessage) child.on("message", onMessage);
    child.on("error", reject);
    child.on("close", (status) => {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
      if (stopSignal === undefined) resolve({ status: status ?? 1, output });
      else reject(new Interrupted(stopSignal));
    });
  });
}
