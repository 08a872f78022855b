import type { PendingChanges } from "./follow.ts";
import { errorOf, type LoyaltyError } from "./result.ts";
import { Service, type ServiceOptions } from "./service.ts";
import { type Change, connect, type Ending, type SocketConstructor } from "./socket.ts";
import { pause, throwIfAborted, withTimeout } from "./waiting.ts";

interface ConnectionOptions extends Omit<ServiceOptions, "retry"> {
  /** Null if the runtime has no WebSocket. */
  WebSocket: SocketConstructor | null;
}

/**
 * The state of the connection. `blocked`: no connection can be made, but the service answers calls. `unreachable`: the
 * service does not answer.
 */
export type LiveState = "connecting" | "connected" | "blocked" | "unreachable";

const PATH = "/api/v1/customer/live";
const PROTOCOL = "loyalty-edge";
const TOKEN_TIMEOUT_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
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
 * listeners.
 */
export class SharedConnection {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<PendingChanges>();
  #stop = new AbortController();
  #state: LiveState = "connecting";

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get hasSockets(): boolean {
    return this.#options.WebSocket !== null;
  }

  /** Reports states and changes to the listener until the signal is aborted. */
  listen(listener: PendingChanges, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    const leave = () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    if (this.#listeners.size === 1) {
      this.#stop = new AbortController();
      this.#state = "connecting";
      // The only error is the abort of the signal, which is no failure.
      this.#stayConnected(this.#stop.signal).catch(() => {});
    }
    listener.setState(this.#state);
  }

  /** Keeps a connection open, and opens another when it ends. Asks for the token each time. */
  async #stayConnected(signal: AbortSignal): Promise<never> {
    const { url, WebSocket } = this.#options;
    const reactions = {
      onHello: () => this.#setState("connected"),
      onFrame: (changed: Change[]) => {
        for (const listener of this.#listeners) listener.addFrame(changed);
      },
    };
    for (let failures = 0; ; ) {
      const token = await tokenOf(this.#options, signal);
      const open = () => {
        if (token === null || WebSocket === null) return null;
        return new WebSocket(addressOf(url).replace(/^http/i, "ws"), [PROTOCOL, `bearer.${token}`]);
      };
      const ending = await connect(open, reactions, signal);
      if (ending.wasOpen) this.#setState(ending.code === REPLACED ? "blocked" : "connecting");
      else if (token === null) this.#setState("unreachable");
      else {
        const [state, refusal] = await findTrouble(this.#options, signal);
        // If this connection was stopped meanwhile, the listeners may already belong to the next one.
        throwIfAborted(signal);
        this.#setState(state, refusal);
      }
      failures = ending.wasOpen ? 0 : failures + 1;
      await pause(waitAfter(ending, failures), signal);
    }
  }

  /** @param refusal is the service's answer if it refuses the token. */
  #setState(state: LiveState, refusal?: LoyaltyError): void {
    this.#state = state;
    for (const listener of this.#listeners) listener.setState(state, refusal);
  }
}

/** The token; null if the app does not give one in time. */
async function tokenOf({ askToken }: ConnectionOptions, signal: AbortSignal): Promise<string | null> {
  return withTimeout(TOKEN_TIMEOUT_MS, signal, askToken).catch(() => nullUnlessAborted(signal));
}

function nullUnlessAborted(signal: AbortSignal): null {
  throwIfAborted(signal);
  return null;
}

/** The address for sockets. On a page, the service's address may be relative. React Native has no working URL class. */
function addressOf(url: string): string {
  const address = url.replace(/\/+$/, "") + PATH;
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return /^https?:/i.test(address) ? address : new URL(address, page).href;
}

/**
 * Finds out why a connection could not be made. A browser does not say, so this sends a plain request to the same path. The
 * answer is 426 for a good token, and 401 or 403 for a bad token. The request asks the app for a token again, because the
 * first token may have expired while the device slept.
 */
async function findTrouble(options: ConnectionOptions, signal: AbortSignal): Promise<[LiveState, LoyaltyError?]> {
  const service = new Service({
    ...options,
    retry: { attempts: 1, longestWaitMs: 0, answerWithinMs: ANSWER_WITHIN_MS },
  });
  const result = await service.getPage("/live", "", { signal }).catch(() => nullUnlessAborted(signal));
  if (result === null || result.httpStatus >= 500 || result.httpStatus === 429) return ["unreachable"];
  return !result.status && [401, 403].includes(result.httpStatus) ? ["blocked", errorOf(result)] : ["blocked"];
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
