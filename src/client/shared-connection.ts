import { type LiveListener, type LiveWay, stayConnected, type Trouble } from "./live.ts";

/** How the connection is. */
export type LiveState = "connecting" | "connected" | Trouble;

/**
 * The one connection of a client, which all its iterations share: a customer may have eight in all. It is open while
 * somebody listens.
 */
export class SharedConnection {
  readonly #way: LiveWay;
  readonly #listeners = new Map<LiveListener, (error: unknown) => void>();
  #stop = new AbortController();
  #state: LiveState = "connecting";

  constructor(way: LiveWay) {
    this.#way = way;
  }

  get hasSockets(): boolean {
    return this.#way.WebSocket !== null;
  }

  /**
   * Tells the listener how the connection is, and what comes, until the signal calls it off.
   * @throws a LoyaltyError when the service refuses the token, and the signal's reason when it is called off.
   */
  listen(listener: LiveListener, signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      signal.throwIfAborted();
      const isFirst = this.#listeners.size === 0;
      this.#listeners.set(listener, reject);
      signal.addEventListener("abort", () => this.#leave(listener, signal), { once: true });
      if (isFirst) this.#start();
      else if (this.#state === "connected") listener.onHello();
      else if (this.#state !== "connecting") listener.onTrouble(this.#state);
    });
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#state = "connecting";
    const tell = (state: LiveState, inform: (listener: LiveListener) => void) => {
      // Those who listen after this connection was called off have another.
      if (stop.signal.aborted) return;
      this.#state = state;
      for (const listener of this.#listeners.keys()) inform(listener);
    };
    const all: LiveListener = {
      onHello: () => tell("connected", (listener) => listener.onHello()),
      onChanged: (what) => tell("connected", (listener) => listener.onChanged(what)),
      onTrouble: (trouble) => tell(trouble, (listener) => listener.onTrouble(trouble)),
    };
    stayConnected(this.#way, all, stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      for (const reject of this.#listeners.values()) reject(error);
      this.#listeners.clear();
    });
  }

  #leave(listener: LiveListener, signal: AbortSignal): void {
    this.#listeners.get(listener)?.(signal.reason);
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop.abort();
  }
}
