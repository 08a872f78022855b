import { LoyaltyError } from "./result.ts";
import { errorOf, type Service } from "./service.ts";
import { type Change, connect, type Ending, EVERYTHING, type Frame, type SocketConstructor } from "./socket.ts";
import { millisecondsSince, throwIfAborted } from "./waiting.ts";
import type { Waits } from "./waits.ts";

/**
 * The state of the connection. `blocked`: no connection can be made, but the service answers calls. `unreachable`: the
 * service does not answer. A LoyaltyError: the service refuses the token.
 */
export type LiveState = "connecting" | "connected" | "blocked" | "unreachable" | LoyaltyError;

/** The changes that one iteration has not received yet. */
export interface Subscription {
  readonly followed: readonly Change[];
  readonly signal: AbortSignal;
  pending: readonly Change[];
  /** How often the client had been woken at the last result. */
  wakes: number;
}

const PATH = "/live";
const PROTOCOL = "loyalty-edge";
const TOKEN_TIMEOUT_MS = 30_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
// The platform or the operator may close all sockets at once, so reconnections are spread over this time.
const WAIT_AFTER_DROP_MS = 30_000;
// A customer's ninth socket closes the oldest. If the oldest reconnected at once, it would close the next one, and so on.
const WAIT_AFTER_REPLACED_MS = 300_000;

const TOKEN_EXPIRED = 4401;
const REPLACED = 4408;

/**
 * The connection that all iterations of a client share, because a customer may have only eight. It is open while it has
 * subscriptions.
 */
export class SharedConnection {
  /** Null if the runtime has no WebSocket. */
  readonly WebSocket: SocketConstructor | null;
  readonly waits: Waits;
  readonly #service: Service;
  readonly #subscriptions = new Set<Subscription>();
  #stop = new AbortController();
  #state: LiveState = "connecting";

  constructor(service: Service, WebSocket: SocketConstructor | null) {
    this.#service = service;
    this.waits = service.waits;
    this.WebSocket = WebSocket;
  }

  /** Collects changes until the signal is aborted. */
  subscribe(followed: readonly Change[], signal: AbortSignal): Subscription {
    const subscription: Subscription = { followed, signal, pending: [], wakes: this.waits.wakes };
    if (signal.aborted) return subscription;
    this.#subscriptions.add(subscription);
    const leave = () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.#stop.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    if (this.#subscriptions.size === 1) {
      this.#stop = new AbortController();
      this.#state = "connecting";
      // The only error is the abort of the signal, which is no failure.
      this.#stayConnected(this.#stop.signal).catch(() => {});
    }
    if (this.#state === "connected") subscription.pending = followed;
    // The app may have a better token by now, so a new iteration does not begin with the refusal of the last one.
    if (this.#state instanceof LoyaltyError) this.#state = "blocked";
    return subscription;
  }

  /**
   * Waits for a change, or for the end of the interval: then everything counts as changed. Waking the client ends an interval,
   * but not an endless one. The result is what has changed since the last result. `interval` has the milliseconds to wait in a
   * state.
   * @throws the signal's reason once the signal is aborted, and what `interval` throws if no change is pending.
   */
  async next(subscription: Subscription, interval: (state: LiveState) => number): Promise<Change[]> {
    const { followed, signal, wakes } = subscription;
    const askedAt = Date.now();
    while (subscription.pending.length === 0) {
      const intervalMs = interval(this.#state);
      const leftMs = intervalMs - millisecondsSince(askedAt);
      const isWoken = this.waits.wakes > wakes && intervalMs < Infinity;
      if (isWoken || leftMs <= 0) subscription.pending = followed;
      else await this.waits.pause(leftMs, signal, "changed");
    }
    throwIfAborted(signal);
    const { pending } = subscription;
    Object.assign(subscription, { pending: [], wakes: this.waits.wakes });
    return [...pending];
  }

  /** Keeps a connection open, and opens another when it ends. Asks for the token each time. */
  async #stayConnected(signal: AbortSignal): Promise<never> {
    const { WebSocket, waits } = this;
    const { url, askToken } = this.#service.options;
    for (let failures = 0; ; ) {
      const { wakes } = waits;
      const token = await unlessAborted(waits.limit(TOKEN_TIMEOUT_MS, signal, askToken), signal);
      const open = () => {
        if (token === null || WebSocket === null) return null;
        return new WebSocket(addressOf(url).replace(/^http/i, "ws"), [PROTOCOL, `bearer.${token}`]);
      };
      const ending = await connect(open, (frame) => this.#receive(frame), signal, waits);
      // If the client was woken while it tried to connect, it tries again at once.
      const isWoken = () => !ending.wasOpen && waits.wakes > wakes;
      let state: LiveState = ending.code === REPLACED ? "blocked" : "connecting";
      // The token is missing if the app could not give one in time.
      if (!ending.wasOpen && !isWoken())
        state = token === null ? "unreachable" : await findTrouble(this.#service, signal);
      this.#setState(state);
      failures = ending.wasOpen ? 0 : failures + 1;
      // An answer says nothing new about a proxy that blocks sockets, or about a customer who has too many.
      const cause = state === "blocked" ? "woken" : "reached";
      if (!isWoken()) await waits.pause(waitAfter(ending, failures), signal, cause);
      if (waits.wakes > wakes) failures = 0;
    }
  }

  #receive({ type, what, bookmark }: Frame): void {
    if (typeof bookmark === "string") this.#service.readAt(bookmark);
    if (type === "hello") this.#setState("connected");
    // Other frames are `pong`, or belong to a later version of the service.
    if (type !== "changed" || !Array.isArray(what)) return;
    for (const subscription of this.#subscriptions) {
      const { followed, pending } = subscription;
      const news = followed.filter((change) => what.includes(change));
      subscription.pending = EVERYTHING.filter((change) => pending.includes(change) || news.includes(change));
    }
    this.waits.end("changed");
  }

  #setState(state: LiveState): void {
    this.#state = state;
    if (state === "connected") {
      for (const subscription of this.#subscriptions) subscription.pending = subscription.followed;
      this.waits.end("reached");
    }
    this.waits.end("changed");
  }
}

/** The result; null if it failed, unless that is because of the signal. */
async function unlessAborted<Value>(result: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  const value = await result.catch(() => null);
  throwIfAborted(signal);
  return value;
}

/** The address for sockets. On a page, the service's address may be relative. React Native has no working URL class. */
function addressOf(url: string): string {
  const address = url + PATH;
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return /^https?:/i.test(address) ? address : new URL(address, page).href;
}

// One short try: the connection tries again by itself.
const ONE_TRY = { attempts: 1, longestWaitMs: 0, answerWithinMs: Infinity };
const TROUBLE_WITHIN_MS = 10_000;

/**
 * Finds out why a connection could not be made. A browser does not say, so this sends a plain request to the same path. The
 * answer is 426 for a good token, and 401 or 403 for a bad token. The request asks the app for a token again, because the
 * first token may have expired while the device slept.
 */
async function findTrouble(service: Service, signal: AbortSignal): Promise<LiveState> {
  const asking = service.waits.limit(TROUBLE_WITHIN_MS, signal, (limit) =>
    service.getPage(PATH, "", { signal: limit, retry: ONE_TRY }),
  );
  const result = await unlessAborted(asking, signal);
  if (result === null || result.httpStatus >= 500 || result.httpStatus === 429) return "unreachable";
  return !result.status && [401, 403].includes(result.httpStatus) ? errorOf(result) : "blocked";
}

/** The whole wait is random, so that clients that were dropped together do not reconnect together. */
function waitAfter({ wasOpen, code }: Ending, failures: number): number {
  if (code === REPLACED) return WAIT_AFTER_REPLACED_MS * (1 + Math.random());
  // A silent connection or an expired token concerns this client alone, so it need not spread its reconnection.
  const concernsThisClientOnly = code === null || code === TOKEN_EXPIRED;
  const longestMs =
    wasOpen && !concernsThisClientOnly ? WAIT_AFTER_DROP_MS : FIRST_WAIT_MS * 2 ** Math.max(failures - 1, 0);
  return Math.random() * Math.min(longestMs, LONGEST_WAIT_MS);
}
