import type { Answer } from "../lib/call.ts";
import { pause } from "./http.ts";
import { Broken } from "./outcome.ts";

type HandshakeAnswer = Pick<Answer, "status" | "headers" | "text">;

/** Sends the HTTP request that asks for a WebSocket. */
export type Handshake = (address: string, headers: Record<string, string>) => Promise<HandshakeAnswer>;

/** The headers of a handshake. The key is any 16 bytes. */
export const UPGRADE = { Upgrade: "websocket", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };

const EVENT_TIMEOUT_MS = 10_000;

export interface Sockets {
  handshake: Handshake;
  connect: (address: string, protocols: string[]) => WebSocket | Promise<WebSocket>;
}

/** A frame of the service. */
export interface Frame {
  type: string;
  what?: string[];
  bookmark?: string;
  code?: number;
}

type Event = Frame | "pong" | number;

/** A socket of `GET /api/v1/customer/live`. Its events are its frames in order, then the code that closed it. */
export class Listener {
  readonly events: Event[] = [];
  readonly socket: WebSocket;
  #readCount = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.events.push(data === "pong" ? data : JSON.parse(String(data)));
    });
    socket.addEventListener("close", ({ code }) => {
      this.events.push(code);
    });
  }

  /** Waits for the next event. `what` begins the error message if none comes. */
  async next(what: string, timeoutMs = EVENT_TIMEOUT_MS): Promise<Event | undefined> {
    for (const deadline = Date.now() + timeoutMs; this.events.length === this.#readCount; await pause(20))
      if (Date.now() >= deadline) throw new Broken(`${what}: nothing came within ${timeoutMs} ms`);
    this.#readCount += 1;
    return this.events[this.#readCount - 1];
  }

  /** Waits for the next frame. */
  async nextFrame(what: string): Promise<Frame> {
    const event = await this.next(what);
    if (typeof event !== "object") throw new Broken(`${what}: ${event} came instead of a frame`);
    return event;
  }
}
