import { reasonOf, throwIfAborted } from "./waiting.ts";

/** The part of a WebSocket that the client needs. Browsers, Node, Workers and the package `ws` have it. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message" | "close" | "error", listener: (event: object) => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** A kind of data that has changed, which an app then asks for again. */
export type Change = "messages" | "coupons" | "balance";

export const EVERYTHING: readonly Change[] = ["messages", "coupons", "balance"];

export interface Ending {
  /** Whether the service had said hello. */
  wasOpen: boolean;
  /** The close code; 1006 if the connection broke; null if the client closed a silent connection. */
  code: number | null;
}

const HELLO_WITHIN_MS = 10_000;
// Proxies drop a connection that is silent for 60 to 100 seconds.
const PING_AFTER_SILENCE_MS = 45_000;
const PONG_WITHIN_MS = 10_000;
const CLOSED_NORMALLY = 1000;
const BROKEN = 1006;

/** The parts of a frame that the client knows. */
export interface Frame {
  type?: unknown;
  what?: unknown;
  bookmark?: unknown;
}

/**
 * One connection, from its handshake to its end. `onFrame` gets each frame from hello on. After some silence the client
 * sends `ping`, and closes the socket if nothing comes back.
 * @throws the signal's reason once it is aborted.
 */
export function connect(
  open: () => SocketLike | null,
  onFrame: (frame: Frame) => void,
  signal: AbortSignal,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    // A browser throws for a token that cannot be a subprotocol, and for ws: on an https: page.
    const socket = quietly(open);
    if (socket === null) return resolve({ wasOpen: false, code: null });
    let wasOpen = false;
    let isOver = false;
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
      const frame: Frame | null = quietly(() => JSON.parse(String((event as { data?: unknown }).data)));
      if (isOver || (!wasOpen && frame?.type !== "hello")) return;
      wasOpen = true;
      clearTimeout(timer);
      timer = setTimeout(ping, PING_AFTER_SILENCE_MS);
      if (frame !== null) onFrame(frame);
    });
  });
}

/** The result; null if `run` throws, as some sockets do once they are closed. */
function quietly<Value>(run: () => Value): Value | null {
  try {
    return run();
  } catch {
    return null;
  }
}
