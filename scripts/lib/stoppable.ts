import { Interrupted } from "./project.ts";

/**
 * Runs work that Ctrl-C or a kill stops. Its signal aborts, so the work can put away what it began. A
 * second Ctrl-C ends the process at once.
 * @throws Interrupted if the work did not end in spite of the signal.
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
    // Such as a request that was cut off by it.
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}
