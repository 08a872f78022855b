import type { ProgressLine } from "../lib/progress-line.ts";

/** Ends a measurement at Ctrl-C: the runtimes that it has started end too. A second Ctrl-C ends it at once. */
export function stopAtSignal(progress: ProgressLine, close: () => Promise<unknown>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      progress.end();
      console.error("Stopped. Nothing was written.");
      void close().finally(() => process.exit(130));
    });
  }
}
