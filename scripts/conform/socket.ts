import { Broken } from "./expect.ts";
import type { Suite } from "./suite.ts";

export interface HandshakeAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends the HTTP request that asks for a WebSocket. */
export type Handshake = (address: string, headers: Record<string, string>) => Promise<HandshakeAnswer>;

const OPENS_WITHIN_MS = 10_000;
const FRAME_WITHIN_MS = 10_000;

export interface Sockets {
  handshake: Handshake;
  connect: (address: string, protocols: string[]) => WebSocket | Promise<WebSocket>;
}

/** A socket of `GET /api/v1/customer/live`, and its frames in order. */
export class Listener {
  readonly frames: string[] = [];
  readonly #socket: WebSocket;
  #closedWith: number | null = null;
  #read = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.frames.push(String(data));
    });
    socket.addEventListener("close", ({ code }) => {
      this.#closedWith = code;
    });
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Waits for the next frame. `what` begins the message if none comes. */
  async next(what: string, withinMs = FRAME_WITHIN_MS): Promise<string> {
    await this.#wait(() => this.frames.length > this.#read || this.#closedWith !== null, withinMs);
    const frame = this.frames[this.#read];
    if (frame === undefined && this.#closedWith !== null)
      throw new Broken(`${what}: the socket was closed with ${this.#closedWith}`);
    if (frame === undefined) throw new Broken(`${what}: no frame within ${withinMs} ms`);
    this.#read += 1;
    return frame;
  }

  /** Waits until the service closes the socket. Resolves with the code. */
  async closed(what: string, withinMs = FRAME_WITHIN_MS): Promise<number> {
    await this.#wait(() => this.#closedWith !== null, withinMs);
    if (this.#closedWith === null) throw new Broken(`${what}: the socket was not closed within ${withinMs} ms`);
    return this.#closedWith;
  }

  async #wait(until: () => boolean, withinMs: number): Promise<void> {
    for (const deadline = Date.now() + withinMs; !until() && Date.now() < deadline; )
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Opens a socket, and waits for the frame `hello`. */
export async function listen({ http, sockets }: Suite, token: string): Promise<Listener> {
  const address = `${http.url.replace(/^http/, "ws")}/api/v1/customer/live`;
  const listener = new Listener(await sockets.connect(address, ["loyalty-edge", `bearer.${token}`]));
  const hello = await listener.next("the first frame", OPENS_WITHIN_MS);
  if (hello !== '{"type":"hello"}') throw new Broken(`the first frame is ${hello}`);
  return listener;
}
