import { exports } from "cloudflare:workers";
import type { SocketLike } from "../../src/client/index.ts";

/** A WebSocket to the Worker under test, without a network between them. */
export class WorkerSocket implements SocketLike {
  readonly #listeners: [type: string, listener: (event: object) => void][] = [];
  #socket: WebSocket | null = null;
  #isClosed = false;

  constructor(url: string, protocols: string[]) {
    void this.#open(url.replace(/^ws/, "http"), protocols).catch(() => this.#fire("error", {}));
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.push([type, listener]);
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  close(code?: number): void {
    this.#isClosed = true;
    this.#socket?.close(code);
  }

  async #open(address: string, protocols: string[]): Promise<void> {
    const headers = { Upgrade: "websocket", "Sec-WebSocket-Protocol": protocols.join(", ") };
    const { webSocket } = await exports.default.fetch(new Request(address, { headers }));
    if (webSocket === null) return this.#fire("error", {});
    this.#socket = webSocket;
    for (const type of ["message", "close", "error"] as const)
      webSocket.addEventListener(type, (event) => this.#fire(type, event));
    webSocket.accept();
    if (this.#isClosed) webSocket.close(1000);
  }

  #fire(type: string, event: object): void {
    for (const [listenedType, listener] of this.#listeners) if (listenedType === type) listener(event);
  }
}
