import { exports } from "cloudflare:workers";
import { customerToken } from "./tokens.ts";

const ADDRESS = "https://loyalty.example/api/v1/customer/live";

/** What a test sees of a socket: its frames, as they come, and how it was closed. */
export interface Listener {
  socket: WebSocket;
  frames: unknown[];
  /** The next frame, or one that has come and was not asked for yet. */
  next: () => Promise<unknown>;
  closed: Promise<{ code: number; reason: string }>;
}

/** Asks for a socket with these headers. */
export function handshake(headers: Record<string, string>): Promise<Response> {
  return exports.default.fetch(new Request(ADDRESS, { headers: { Upgrade: "websocket", ...headers } }));
}

/** Opens a customer's socket; it has said hello. */
export async function listenAs(customerId: string, claims: Record<string, unknown> = {}): Promise<Listener> {
  const token = await customerToken(customerId, claims);
  const answer = await handshake({ Authorization: `Bearer ${token}` });
  if (answer.webSocket === null) throw new Error(`no socket: ${answer.status} ${await answer.text()}`);
  const listener = listenOn(answer.webSocket);
  const hello = await listener.next();
  if (JSON.stringify(hello) !== '{"type":"hello"}') throw new Error(`no hello: ${JSON.stringify(hello)}`);
  return listener;
}

export function listenOn(socket: WebSocket): Listener {
  const frames: unknown[] = [];
  const waiting: ((frame: unknown) => void)[] = [];
  let read = 0;
  socket.addEventListener("message", ({ data }) => {
    const frame = String(data).startsWith("{") ? JSON.parse(String(data)) : data;
    frames.push(frame);
    const resolve = waiting.shift();
    if (resolve !== undefined) {
      read += 1;
      resolve(frame);
    }
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
  });
  socket.accept();
  const next = () => {
    if (read < frames.length) {
      read += 1;
      return Promise.resolve(frames[read - 1]);
    }
    return new Promise<unknown>((resolve) => waiting.push(resolve));
  };
  return { socket, frames, next, closed };
}
