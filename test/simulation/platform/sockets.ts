import type { Time } from "./time.ts";

// WebSockets of Durable Objects as documented (developers.cloudflare.com/durable-objects: best-practices/websockets,
// api/state). Frames arrive in order, after 15 ms each, or the connection breaks (1006).

const OPEN = 1;
const CLOSED = 3;
const FRAME_MS = 15;

/** Receives what arrives at one end. */
interface Receiver {
  onText: (text: string) => unknown;
  /** Called once: with the code with which the other end was closed, or with 1006 for a broken connection. */
  onClose: (code: number) => unknown;
}

/** One end of a connection. Frames that arrive before a receiver accepts this end wait for the receiver. */
export class SocketEnd {
  static readonly OPEN = OPEN;
  readyState: number = OPEN;
  peer: SocketEnd | null = null;
  /** Called with each text that arrives, before a receiver gets it. */
  onArrival: (text: string) => void = () => {};
  readonly #time: Time;
  readonly #waitingEvents: ((receiver: Receiver) => void)[] = [];
  #receiver: Receiver | null = null;
  #isOver = false;
  #attachment: unknown = null;

  constructor(time: Time) {
    this.#time = time;
  }

  accept(receiver: Receiver): void {
    this.#receiver = receiver;
    for (const arrive of this.#waitingEvents.splice(0)) arrive(receiver);
  }

  send(text: string): void {
    if (this.readyState !== OPEN) throw new TypeError("Can't call WebSocket send() after close().");
    this.#transmit((peer) => {
      peer.onArrival(text);
      peer.#arrive(({ onText }) => onText(text));
    });
  }

  close(code = 1005): void {
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSED;
    this.#isOver = true;
    this.#transmit((peer) => peer.#end(code));
  }

  /** Breaks the connection, for both ends. */
  break(): void {
    this.#end(1006);
    if (this.peer !== null) this.peer.#end(1006);
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment);
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.readyState = CLOSED;
    this.#arrive(({ onClose }) => onClose(code));
  }

  #arrive(arrive: (receiver: Receiver) => void): void {
    if (this.#receiver === null) this.#waitingEvents.push(arrive);
    else arrive(this.#receiver);
  }

  #transmit(arrive: (peer: SocketEnd) => void): void {
    const { peer } = this;
    // Frames stay in order: timers of equal length run in the order in which they were set.
    this.#time.after(FRAME_MS, () => peer !== null && !peer.#isOver && arrive(peer));
  }
}

/** The class `WebSocketPair` for an isolate. */
export function socketPairs(time: Time) {
  return function WebSocketPair() {
    const [client, server] = [new SocketEnd(time), new SocketEnd(time)];
    client.peer = server;
    server.peer = client;
    return [client, server];
  };
}

/** A browser's WebSocket, as far as the client uses it. */
export class AppSocket extends EventTarget {
  #end: SocketEnd | null = null;
  #isClosed = false;

  /** @param open resolves with the service's end; null: the handshake failed. */
  constructor(open: Promise<SocketEnd | null>) {
    super();
    void open.catch(() => null).then((end) => this.#begin(end));
  }

  get isOpen(): boolean {
    return this.#end?.readyState === OPEN;
  }

  send(text: string): void {
    this.#end?.send(text);
  }

  close(code?: number): void {
    this.#isClosed = true;
    this.#end?.close(code);
  }

  #begin(end: SocketEnd | null): void {
    this.#end = end;
    if (end === null) this.dispatchEvent(new Event("error"));
    end?.accept({
      onText: (data) => this.dispatchEvent(new MessageEvent("message", { data })),
      onClose: (code) => this.dispatchEvent(new CloseEvent("close", { code })),
    });
    if (this.#isClosed) end?.close(1000);
  }
}
