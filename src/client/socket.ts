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

export interface SocketListener {
  onHello: () => void;
  onChanged: (what: Change[]) => void;
}

export interface Ending {
  /** Whether the service had said hello. */
  hasStood: boolean;
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
 * One connection, from its handshake to its end. After a time of silence it sends `ping`, and gives the connection up if
 * nothing comes in return.
 * @throws the signal's reason when it is called off.
 */
export function connect(
  open: () => SocketLike,
  { onHello, onChanged }: SocketListener,
  signal: AbortSignal,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let socket: SocketLike;
    try {
      socket = open();
    } catch {
      // A browser throws for a token that cannot be a subprotocol, and for ws: on a page of https:.
      resolve({ hasStood: false, code: null });
      return;
    }
    let [hasStood, isOver] = [false, false];
    const finish = () => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      quietly(() => socket.close(CLOSED_NORMALLY));
    };
    const end = (code: number | null) => {
      if (isOver) return;
      finish();
      resolve({ hasStood, code });
    };
    const onAbort = () => {
      finish();
      reject(signal.reason);
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
      const frame = readFrame((event as { data?: unknown }).data);
      if (isOver || (!hasStood && frame.type !== "hello")) return;
      clearTimeout(timer);
      timer = setTimeout(ping, PING_AFTER_SILENCE_MS);
      if (!hasStood) onHello();
      hasStood = true;
      if (frame.type === "changed") onChanged(frame.what);
    });
  });
}

type Frame = { type: "hello" } | { type: "changed"; what: Change[] } | { type: "other" };

/** A frame of another kind is no fault: it may be `pong`, or what a later service sends. */
function readFrame(data: unknown): Frame {
  const frame = quietly(() => JSON.parse(String(data)) as unknown);
  if (typeof frame !== "object" || frame === null || !("type" in frame)) return { type: "other" };
  if (frame.type === "hello") return { type: "hello" };
  if (frame.type !== "changed" || !("what" in frame) || !Array.isArray(frame.what)) return { type: "other" };
  const { what } = frame;
  return { type: "changed", what: EVERYTHING.filter((change) => what.includes(change)) };
}

/** Null if it throws: some sockets do so once they are closed, some do not. */
function quietly<Outcome>(run: () => Outcome): Outcome | null {
  try {
    return run();
  } catch {
    return null;
  }
}
