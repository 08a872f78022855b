import { pause, type Shorten, withTimeout } from "./waiting.ts";

/**
 * Why a wait of the client ends early. `woken`: the app is in the foreground again, or the device is online. `reached`: the
 * service has answered. `changed`: a frame came, or the state of the connection is another.
 */
type Cause = "woken" | "reached" | "changed";

/**
 * When the client is woken, what it has under way must end this soon after its beginning. Then it is tried again, because it
 * may have been sent into a lost network. A socket that is open must answer a ping within this time.
 */
export const WOKEN_WITHIN_MS = 3_000;

interface Runtime {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/** The waits of a client, and what ends them early. */
export class Waits {
  /** How often the client was woken. */
  wakes = 0;
  readonly #listeners = new Set<(cause: Cause) => void>();

  /** Ends the waits that have this cause. */
  end(cause: Cause): void {
    if (cause === "woken") this.wakes += 1;
    for (const listener of this.#listeners) listener(cause);
  }

  /** Calls `onEnd` whenever waits end, until the result is called. */
  listen(onEnd: (cause: Cause) => void): () => void {
    this.#listeners.add(onEnd);
    return () => this.#listeners.delete(onEnd);
  }

  /** Waits until the time is over, the client is woken, or `cause` ends the wait. */
  pause(milliseconds: number, signal: AbortSignal | undefined, cause: Cause = "woken"): Promise<void> {
    let stop = () => {};
    return pause(milliseconds, signal, (shorten) => {
      stop = this.listen((happened) => {
        if (happened === "woken" || happened === cause) shorten(0);
      });
    }).finally(() => stop());
  }

  /** Like `withTimeout`, but the time is short once the client is woken. */
  limit<Outcome>(
    milliseconds: number,
    signal: AbortSignal,
    run: (limit: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    let stop = () => {};
    const begin = (shorten: Shorten) => {
      stop = this.listen((cause) => {
        if (cause === "woken") shorten(WOKEN_WITHIN_MS);
      });
    };
    return withTimeout(milliseconds, signal, run, begin).finally(() => stop());
  }

  /** Until the signal is aborted, `online` wakes the client. React Native and Node have no such event. */
  wakeOnline(signal: AbortSignal): void {
    const runtime = globalThis as Partial<Runtime>;
    const wake = () => this.end("woken");
    runtime.addEventListener?.("online", wake);
    signal.addEventListener("abort", () => runtime.removeEventListener?.("online", wake), { once: true });
  }
}
