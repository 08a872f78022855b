import { Interrupted } from "./project.ts";

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
