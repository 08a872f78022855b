import { reasonOf, throwIfAborted } from "./waiting.ts";

/** The part of a WebSocket that is used. Browsers, Node, Workers and the package `ws` have it. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message" | "close" | "error", listener: (event: object) => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** What has changed, for the app to ask for again. */
export type Change = "messages" | "coupons" | "balance";

export const EVERYTHING: readonly Change[] = ["messages", "coupons", "balance"];

export interface Ending {
  /** Whether the service had said hello. */
  wasOpen: boolean;
  /** The close code; 1006 if the connection broke; null if it went silent and was given up. */
  code: number | null;
}

const HELLO_WITHIN_MS = 10_000;
// Proxies drop a connection that is silent for 60 to 100 seconds.
const PING_AFTER_SILENCE_MS = 45_000;
const PONG_WITHIN_MS = 10_000;
const CLOSED_NORMALLY = 1000;
const BROKEN = 1006;

/**
 * One connection, from its handshake to its end. After hello everything counts as changed. After some silence it sends
 * `ping`, and gives the connection up if nothing comes back.
 * @throws the signal's reason once it is aborted.
 */
export function connect(
  open: () => SocketLike | null,
  onChanged: (changed: readonly Change[]) => void,
  signal: AbortSignal,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    // A browser throws for a token that cannot be a subprotocol, and for ws: on an https: page.
    const socket = quietly(open);
    if (socket === null) return resolve({ wasOpen: false, code: null });
    let [wasOpen, isOver] = [false, false];
    const end = (code: number | null) => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      quietly(() => socket.close(CLOSED_NORMALLY));
      resolve({ wasOpen, code });
    };
    const onAbort = () => {
      reject(reasonOf(signal));
      end(null);
    };
    const ping = () => {
      timer = setTimeout(() => end(null), PONG_WITHIN_MS);
      quietly(() => socket.send("ping"));
    };
    let timer = setTimeout(() => end(null), HELLO_WITHIN_MS);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.addEventListener("error", () => end(BROKEN));
    socket.addEventListener("close", (event) => end((event as { code?: number }).code ?? BROKEN));
    socket.addEventListener("message", (event) => {
      const { isHello, changed } = readFrame((event as { data?: unknown }).data);
      if (isOver || (!wasOpen && !isHello)) return;
      wasOpen = true;
      clearTimeout(timer);
      timer = setTimeout(ping, PING_AFTER_SILENCE_MS);
      if (changed.length > 0) onChanged(changed);
    });
  });
}

/** Other frames are ignored: they may be `pong`, or be new in a later version of the service. */
function readFrame(data: unknown): { isHello: boolean; changed: readonly Change[] } {
  const frame = quietly(() => JSON.parse(String(data)) as { type?: unknown; what?: unknown } | null);
  if (frame?.type === "hello") return { isHello: true, changed: EVERYTHING };
  const what: readonly unknown[] = frame?.type === "changed" && Array.isArray(frame.what) ? frame.what : [];
  return { isHello: false, changed: EVERYTHING.filter((change) => what.includes(change)) };
}

/** The outcome; null if it throws. Some sockets throw once they are closed. */
function quietly<Outcome>(run: () => Outcome): Outcome | null {
  try {
    return run();
  } catch {
    return null;
  }
}
