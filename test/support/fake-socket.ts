import type { SocketLike } from "../../src/client/index.ts";

type Listener = (event: object) => void;

/** A client's socket. The test acts as the service. */
export class FakeSocket implements SocketLike {
  readonly url: string;
  readonly protocols: string[];
  readonly sent: string[] = [];
  answersPings = true;
  /** The code with which the client closed the socket. */
  closedWith: number | null = null;
  readonly #listeners: Record<string, Listener[]> = {};

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners[type] = [...(this.#listeners[type] ?? []), listener];
  }

  send(text: string): void {
    this.sent.push(text);
    if (text === "ping" && this.answersPings) queueMicrotask(() => this.says("pong"));
  }

  close(code?: number): void {
    this.closedWith ??= code ?? 1005;
  }

  says(data: unknown): void {
    this.#fire("message", { data: typeof data === "string" ? data : JSON.stringify(data) });
  }

  hello(): void {
    this.says({ type: "hello" });
  }

  changed(...what: string[]): void {
    this.says({ type: "changed", what });
  }

  /** The service closes the socket. Without a code the connection breaks, and an error comes first, as in browsers. */
  drops(code?: number): void {
    if (code === undefined) this.#fire("error", {});
    this.#fire("close", { code: code ?? 1006 });
  }

  #fire(type: string, event: object): void {
    for (const listener of this.#listeners[type] ?? []) listener(event);
  }
}

/** A WebSocket class for `createClient`, and the sockets that the client has opened. `onOpen` gets each new socket. */
export function fakeSockets(onOpen: (socket: FakeSocket) => void = () => {}) {
  const opened: FakeSocket[] = [];
  class Socket extends FakeSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      opened.push(this);
      onOpen(this);
    }
  }
  const last = () => {
    const socket = opened.at(-1);
    if (socket === undefined) throw new Error("No socket was opened.");
    return socket;
  };
  return { WebSocket: Socket, opened, last };
}
