import { reasonOf, throwIfAborted } from "./waiting.ts";

/** What is used of a WebSocket: those of browsers, Node and Workers have it, and so has that of the package `ws`. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message" | "close" | "error", listener: (event: object) => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** What an app asks for anew when it has changed. */
export type Change = "messages" | "coupons" | "balance";

export const EVERYTHING: readonly Change[] = ["messages", "coupons", "balance"];

export interface Ending {
  /** Whether the service had said hello. */
  wasOpen: boolean;
  /** The close code, 1006 where the connection broke; null where it had gone silent and was given up. */
  code: number | null;
}

const HELLO_WITHIN_MS = 10_000;
// Proxies drop a connection that is silent for 60 to 100 seconds.
const PING_AFTER_SILENCE_MS = 45_000;
const PONG_WITHIN_MS = 10_000;
const CLOSED_NORMALLY = 1000;
const BROKEN = 1006;

/**
 * One connection, from its handshake to its end; with hello everything counts as changed. After a time of silence it
 * sends `ping`, and gives the connection up if nothing comes in return.
 * @throws the signal's reason when it is called off.
 */
export function connect(
  open: () => SocketLike | null,
  onChanged: (changed: readonly Change[]) => void,
  signal: AbortSignal,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    // A browser throws for a token that cannot be a subprotocol, and for ws: on a page of https:.
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

/** A frame of another kind is no fault: it may be `pong`, or come of a later service. */
function readFrame(data: unknown): { isHello: boolean; changed: readonly Change[] } {
  const frame = quietly(() => JSON.parse(String(data)) as { type?: unknown; what?: unknown } | null);
  if (frame?.type === "hello") return { isHello: true, changed: EVERYTHING };
  const what: readonly unknown[] = frame?.type === "changed" && Array.isArray(frame.what) ? frame.what : [];
  return { isHello: false, changed: EVERYTHING.filter((change) => what.includes(change)) };
}

/** Null if it throws: some sockets do so once they are closed, some do not. */
function quietly<Outcome>(run: () => Outcome): Outcome | null {
  try {
    return run();
  } catch {
    return null;
  }
}
