import type { SingleBar } from "cli-progress";

/** Ends a measurement at Ctrl-C: the runtimes that it has started end too. A second Ctrl-C ends it at once. */
export function stopAtSignal(bar: SingleBar, close: () => Promise<unknown>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      bar.stop();
      console.error("Stopped. Nothing was written.");
      void close().finally(() => process.exit(130));
    });
  }
}
