import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, Interrupted } from "./project.ts";

// scripts/run.mjs runs this file with the name of a command and its arguments. scripts/NAME.ts exports the command's
// parser. A CommandError prints one line, a bug its stack; both end with status 1.

const SIGNAL_MS = 100;
const [name, ...args] = process.argv.slice(2);

// The signal that stopped this command.
let stopSignal: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopUnlessHandled(signal));
// The channel closes if scripts/run.mjs was killed with SIGKILL, which it cannot pass on.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
try {
  const { program } = await import(`../${name}.ts`);
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  // Ctrl-C ends the programs that this one has started, too: esbuild and workerd. What then fails here is explained by
  // "Stopped.", but it may fail before the signal arrives.
  if (!isExplained(error)) await sleep(SIGNAL_MS);
  const isExplainedByStop = stopSignal !== undefined && !isExplained(error);
  if (!isExplainedByStop) console.error(isExplained(error) ? error.message : error);
  process.exitCode = statusOf(error);
}

function statusOf(error: unknown): number {
  if (error instanceof Interrupted) return error.status;
  return stopSignal === undefined ? 1 : 128 + constants.signals[stopSignal];
}

/** Ends the process, unless the command has a listener of its own, which cleans up and ends the process. */
function stopUnlessHandled(signal: NodeJS.Signals): void {
  stopSignal = signal;
  if (process.listenerCount(signal) > 1) return;
  console.error(new Interrupted(signal).message);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Whether the message of an error suffices without the stack. An error of the file system names the call and the path.
 */
function isExplained(error: unknown): error is Error {
  return (
    error instanceof CommandError ||
    error instanceof Interrupted ||
    (error instanceof Error && "syscall" in error && "path" in error)
  );
}
