import { millisecondsSince, reasonOf, throwIfAborted } from "./waiting.ts";
import { type Waits, WOKEN_WITHIN_MS } from "./waits.ts";

/** The part of a WebSocket that the client needs. Browsers, Node, Workers and the package `ws` have it. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: object) => void): void;
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
  code?: unknown;
}

/**
 * One connection, from its handshake to its end. `onFrame` gets each frame from hello on. After some silence, or when it is
 * woken, the client sends `ping`, and closes the socket if nothing comes back.
 * @throws the signal's reason once it is aborted.
 */
export function connect(
  open: () => SocketLike | null,
  onFrame: (frame: Frame) => void,
  signal: AbortSignal,
  waits: Waits,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    // A browser throws for a token that cannot be a subprotocol, and for ws: on an https: page.
    const socket = quietly(open);
    if (socket === null) return resolve({ wasOpen: false, code: null });
    const close = () => quietly(() => socket.close(CLOSED_NORMALLY));
    let wasOpen = false;
    let isOver = false;
    /** Since when the client has waited for hello or for an answer to its ping; null: nothing is due. */
    let askedAt: number | null = Date.now();
    const end = (code: number | null) => {
      isOver = true;
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", onAbort);
      close();
      resolve({ wasOpen, code });
    };
    const onAbort = () => {
      reject(reasonOf(signal));
      end(null);
    };
    const expectAnswer = (withinMs: number) => {
      askedAt ??= Date.now();
      clearTimeout(timer);
      timer = setTimeout(() => end(null), withinMs - millisecondsSince(askedAt));
    };
    const ping = () => {
      expectAnswer(PONG_WITHIN_MS);
      quietly(() => socket.send("ping"));
    };
    let timer = setTimeout(() => end(null), HELLO_WITHIN_MS);
    const stopListening = waits.listen((cause) => {
      if (cause !== "woken") return;
      if (askedAt === null) ping();
      expectAnswer(WOKEN_WITHIN_MS);
    });
    signal.addEventListener("abort", onAbort, { once: true });
    // React Native on Android cannot close a socket that still connects: the socket opens later, and counts as one of eight.
    socket.addEventListener("open", () => {
      if (isOver) close();
    });
    socket.addEventListener("error", () => end(BROKEN));
    socket.addEventListener("close", (event) => end((event as { code?: number }).code ?? BROKEN));
    socket.addEventListener("message", (event) => {
      const frame: Frame | null = quietly(() => JSON.parse(String((event as { data?: unknown }).data)));
      if (isOver || (!wasOpen && frame?.type !== "hello")) return;
      wasOpen = true;
      // The close itself may arrive ten seconds late.
      if (frame?.type === "closing") return end(Number(frame.code));
      askedAt = null;
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
