import { reasonOf, throwIfAborted } from "./abort.ts";
import { type LiveListener, type LiveOptions, type LiveState, stayConnected } from "./live.ts";
import { EVERYTHING } from "./socket.ts";

/**
 * The one connection of a client, which all its iterations share: a customer may have eight in all. It is open while
 * somebody listens.
 */
export class SharedConnection {
  readonly #options: LiveOptions;
  readonly #listeners = new Map<LiveListener, (error: unknown) => void>();
  #stop = new AbortController();
  #state: LiveState = "connecting";

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  get hasSockets(): boolean {
    return this.#options.WebSocket !== null;
  }

  /**
   * Calls the listener until the signal calls it off.
   * @throws a LoyaltyError when the service refuses the token, and the signal's reason when it is called off.
   */
  listen(listener: LiveListener, signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      throwIfAborted(signal);
      this.#listeners.set(listener, reject);
      signal.addEventListener("abort", () => this.#leave(listener, signal), { once: true });
      if (this.#listeners.size === 1) this.#start();
      else if (this.#state !== "connecting") listener(this.#state, this.#state === "connected" ? EVERYTHING : []);
    });
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#state = "connecting";
    const callAll: LiveListener = (state, changed) => {
      // Those who listen after this connection was called off have another.
      if (stop.signal.aborted) return;
      this.#state = state;
      for (const listener of this.#listeners.keys()) listener(state, changed);
    };
    stayConnected(this.#options, callAll, stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      for (const reject of this.#listeners.values()) reject(error);
      this.#listeners.clear();
    });
  }

  #leave(listener: LiveListener, signal: AbortSignal): void {
    this.#listeners.get(listener)?.(reasonOf(signal));
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop.abort();
  }
}
