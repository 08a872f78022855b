import { errorOf, type LoyaltyError } from "./result.ts";
import { Service, type ServiceOptions } from "./service.ts";
import { type Change, connect, type Ending, type SocketConstructor } from "./socket.ts";
import { pause, throwIfAborted, withTimeout } from "./waiting.ts";

interface ConnectionOptions extends Omit<ServiceOptions, "retry"> {
  /** Null where there are no sockets. */
  WebSocket: SocketConstructor | null;
}

/**
 * The state of the connection. `dropped`: it has ended, and another will be tried. `blocked`: no connection can be made, but
 * the service answers calls. `unreachable`: the service does not answer.
 */
export type LiveState = "connecting" | "connected" | "dropped" | "blocked" | "unreachable";

export interface LiveListener {
  /** Is called with each state, and with an error if the service refuses the token. */
  onState: (state: LiveState, refusal?: LoyaltyError) => void;
  onFrame: (changed: readonly Change[]) => void;
}

const PATH = "/api/v1/customer/live";
const PROTOCOL = "loyalty-edge";
const TOKEN_WITHIN_MS = 30_000;
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
 * The connection that all iterations of a client share: a customer may have eight in all. It is open while it has listeners.
 */
export class SharedConnection {
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<LiveListener>();
  #stop = new AbortController();
  #state: LiveState = "connecting";

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get hasSockets(): boolean {
    return this.#options.WebSocket !== null;
  }

  /** Calls the listener until the signal is aborted. */
  listen(listener: LiveListener, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    const leave = () => this.#listeners.delete(listener) && this.#listeners.size === 0 && this.#stop.abort();
    signal.addEventListener("abort", leave, { once: true });
    if (this.#listeners.size === 1) this.#start();
    else if (this.#state !== "connecting") listener.onState(this.#state);
  }

  #start(): void {
    this.#stop = new AbortController();
    this.#state = "connecting";
    const { signal } = this.#stop;
    const tellAll: LiveListener = {
      onState: (state, refusal) => {
        // The listeners may already be those of another connection.
        if (signal.aborted) return;
        this.#state = state;
        for (const { onState } of this.#listeners) onState(state, refusal);
      },
      onFrame: (changed) => {
        for (const { onFrame } of this.#listeners) onFrame(changed);
      },
    };
    // It ends only with the signal.
    stayConnected(this.#options, tellAll, signal).catch(() => {});
  }
}

/** Keeps a connection open, and opens another when it ends. Asks for the token each time. */
async function stayConnected(
  options: ConnectionOptions,
  { onState, onFrame }: LiveListener,
  signal: AbortSignal,
): Promise<never> {
  const { url, WebSocket } = options;
  for (let failures = 0; ; ) {
    const token = await tokenOf(options, signal);
    const open = () => {
      if (token === null || WebSocket === null) return null;
      return new WebSocket(addressOf(url).replace(/^http/i, "ws"), [PROTOCOL, `bearer.${token}`]);
    };
    const ending = await connect(open, { onHello: () => onState("connected"), onFrame }, signal);
    if (ending.wasOpen) onState(ending.code === REPLACED ? "blocked" : "dropped");
    else if (token === null) onState("unreachable");
    else onState(...(await findTrouble(options, signal)));
    failures = ending.wasOpen ? 0 : failures + 1;
    await pause(waitAfter(ending, failures), signal);
  }
}

/** The token; null if the app does not give one in time. */
async function tokenOf({ askToken }: ConnectionOptions, signal: AbortSignal): Promise<string | null> {
  return withTimeout(TOKEN_WITHIN_MS, signal, askToken).catch(() => nullUnlessAborted(signal));
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
 * Finds out why a connection could not be made. A browser does not say, so this asks the same path without a socket. The
 * answer to a good token is 426, to a bad one 401 or 403. It asks for a new token, because the first may have expired on a
 * device that slept.
 */
async function findTrouble(
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Parameters<LiveListener["onState"]>> {
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
  // If a connection has gone silent, or its token has expired, other clients are not affected.
  const isAlone = code === null || code === TOKEN_EXPIRED;
  const longest = wasOpen && !isAlone ? WAIT_AFTER_DROP_MS : FIRST_WAIT_MS * 2 ** Math.max(failures - 1, 0);
  return Math.random() * Math.min(longest, LONGEST_WAIT_MS);
}
