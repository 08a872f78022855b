import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, Interrupted } from "./project.ts";

// scripts/run.mjs runs this file with the name of a command and its arguments. scripts/NAME.ts exports the command's
// parser. A CommandError prints one line, a bug its stack; both end with status 1.

const SIGNAL_MS = 100;
const [name, ...args] = process.argv.slice(2);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopUnlessHandled(signal));
// The channel closes if scripts/run.mjs was killed with SIGKILL, which it cannot pass on.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
try {
  const { program } = await import(`../${name}.ts`);
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  // Ctrl-C ends esbuild too, and esbuild's failure may arrive before the signal. So this waits for a signal, which
  // would end the process.
  if (!isExplained(error)) await sleep(SIGNAL_MS);
  console.error(isExplained(error) ? error.message : error);
  process.exitCode = error instanceof Interrupted ? error.status : 1;
}

/** Ends the process, unless the command has a listener of its own, which cleans up and ends the process. */
function stopUnlessHandled(signal: NodeJS.Signals): void {
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
