import type { SocketLike } from "../../src/client.ts";

type Listener = (event: object) => void;

/** What sockets of the runtime do. Other than browsers, React Native on Android cannot close one that still connects. */
export const runtime = { losesEarlyClose: () => false };

/** A client's socket. The test acts as the service. */
export class FakeSocket implements SocketLike {
  readonly url: string;
  readonly protocols: string[];
  readonly sent: string[] = [];
  answersPings = true;
  /** The code with which the client closed the connection. */
  closedWith: number | null = null;
  #state: "connecting" | "open" | "closing" | "closed" = "connecting";
  readonly #listeners: Record<string, Listener[]> = {};

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners[type] = [...(this.#listeners[type] ?? []), listener];
  }

  send(text: string): void {
    if (this.#state === "connecting") throw new DOMException("Still in CONNECTING state.", "InvalidStateError");
    this.sent.push(text);
    if (text === "ping" && this.answersPings) queueMicrotask(() => this.says("pong"));
  }

  close(code = 1005): void {
    const isLost = this.#state === "connecting" && runtime.losesEarlyClose();
    if (isLost || this.#state === "closing" || this.#state === "closed") return;
    this.closedWith = code;
    this.#state = "closing";
  }

  /** The service accepts the connection, unless the client has closed it. */
  opens(): void {
    if (this.#state !== "connecting") return;
    this.#state = "open";
    this.#fire("open", {});
  }

  /** Is heard while the socket closes, too: React Native and the package `ws` still give messages then. */
  says(data: unknown): void {
    this.opens();
    if (this.#state === "closed") return;
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
    this.#state = "closed";
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
