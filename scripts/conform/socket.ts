import type { Answer } from "../lib/call.ts";
import { Broken } from "./expect.ts";

type HandshakeAnswer = Pick<Answer, "status" | "headers" | "text">;

/** Sends the HTTP request that asks for a WebSocket. */
export type Handshake = (address: string, headers: Record<string, string>) => Promise<HandshakeAnswer>;

const FRAME_TIMEOUT_MS = 10_000;

export interface Sockets {
  handshake: Handshake;
  connect: (address: string, protocols: string[]) => WebSocket | Promise<WebSocket>;
}

/** A socket of `GET /api/v1/customer/live`, and its frames in order. */
export class Listener {
  readonly frames: string[] = [];
  readonly socket: WebSocket;
  #closeCode: number | null = null;
  #readCount = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.frames.push(String(data));
    });
    socket.addEventListener("close", ({ code }) => {
      this.#closeCode = code;
    });
  }

  /** Waits for the next frame. `what` begins the error message if no frame comes. */
  async next(what: string): Promise<string> {
    await this.#wait(() => this.frames.length > this.#readCount || this.#closeCode !== null, FRAME_TIMEOUT_MS);
    const frame = this.frames[this.#readCount];
    if (frame === undefined && this.#closeCode !== null)
      throw new Broken(`${what}: the socket was closed with ${this.#closeCode}`);
    if (frame === undefined) throw new Broken(`${what}: no frame within ${FRAME_TIMEOUT_MS} ms`);
    this.#readCount += 1;
    return frame;
  }

  /** Waits until the service closes the socket. Resolves with the close code. */
  async closeCode(what: string, timeoutMs = FRAME_TIMEOUT_MS): Promise<number> {
    await this.#wait(() => this.#closeCode !== null, timeoutMs);
    if (this.#closeCode === null) throw new Broken(`${what}: the socket was not closed within ${timeoutMs} ms`);
    return this.#closeCode;
  }

  async #wait(until: () => boolean, timeoutMs: number): Promise<void> {
    for (const deadline = Date.now() + timeoutMs; !until() && Date.now() < deadline; )
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
