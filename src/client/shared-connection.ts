import { type LiveListener, type LiveWay, stayConnected, type Trouble } from "./live.ts";

/** How the connection is. */
export type LiveState = "connecting" | "connected" | Trouble;

/**
 * The one connection of a client, for all who listen: a customer may have eight in all. It is there while somebody
 * listens.
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
    const all: LiveListener = {
      onHello: () => this.#tell("connected", (listener) => listener.onHello()),
      onChanged: (what) => this.#tell("connected", (listener) => listener.onChanged(what)),
      onTrouble: (trouble) => this.#tell(trouble, (listener) => listener.onTrouble(trouble)),
    };
    stayConnected(this.#way, all, stop.signal).catch((error: unknown) => {
      // Whoever listens by now, after it was called off, has another.
      if (this.#stop !== stop) return;
      for (const reject of this.#listeners.values()) reject(error);
      this.#listeners.clear();
    });
  }

  #tell(state: LiveState, tell: (listener: LiveListener) => void): void {
    this.#state = state;
    for (const listener of this.#listeners.keys()) tell(listener);
  }

  #leave(listener: LiveListener, signal: AbortSignal): void {
    this.#listeners.get(listener)?.(signal.reason);
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop.abort();
  }
}
