import { setTimeout as sleep } from "node:timers/promises";
import { CHANGE_KINDS, type ChangeKind } from "../../src/inbox/frames.ts";
import type { Random } from "../demo/random.ts";
import { DroppableSocket } from "./droppable-socket.ts";
import type { OnError } from "./stalls.ts";
import { tokenOf } from "./traffic.ts";

/** A connection from its hello to its end. Times are in milliseconds since 1970. */
export interface Connection {
  customer: string;
  helloAt: number;
  /** Null while it is open. */
  endedAt: number | null;
  /** When frames came that named messages. */
  messageFramesAt: number[];
}

/** What came over all sockets. */
export interface SocketCounts {
  /** By chance: half of them closed, half cut off. */
  dropped: number;
  closed: number;
  /** Of those that were closed, how many the service closed too. */
  answered: number;
  frames: Record<ChangeKind, number>;
  pings: number;
  pongs: number;
}

export interface SocketWatch {
  url: string;
  random: Random;
  counts: SocketCounts;
  connections: Connection[];
  onError: OnError;
}

const HELLO = '{"type":"hello"}';
const PATH = "/api/v1/customer/live";
const HELLO_WITHIN_MS = 30_000;
const FIRST_WITHIN_MS = 5_000;
const AGAIN_WITHIN_MS = 3_000;
const PING_MS = 10_000;
const CLOSED_NORMALLY = 1000;

/** The socket of an open app, which connects again whenever it was dropped. */
export class AppSocket {
  readonly #customer: string;
  readonly #watch: SocketWatch;
  #socket: DroppableSocket | null = null;
  #connection: Connection | null = null;
  #isClosing = false;

  constructor(customer: string, watch: SocketWatch) {
    this.#customer = customer;
    this.#watch = watch;
  }

  /** Whether it has been said hello to. */
  get isOpen(): boolean {
    return this.#connection !== null;
  }

  /** Stays connected until told to stop. */
  async hold(signal: AbortSignal): Promise<void> {
    const { random } = this.#watch;
    for (let wait = FIRST_WITHIN_MS; !signal.aborted; wait = AGAIN_WITHIN_MS) {
      await sleep(random.next() * wait, null, { signal }).catch(() => {});
      if (!signal.aborted) await this.#connect(await tokenOf(this.#customer), signal);
    }
  }

  /** Ends the connection as an app does, or as a lost network does. */
  drop(): void {
    if (this.#connection === null) return;
    this.#watch.counts.dropped += 1;
    this.#connection.endedAt = Date.now();
    this.#connection = null;
    this.#isClosing = this.#watch.random.next() < 0.5;
    if (this.#isClosing) {
      this.#watch.counts.closed += 1;
      this.#socket?.close(CLOSED_NORMALLY);
    } else this.#socket?.terminate();
  }

  /** One connection, from its handshake to its end. */
  async #connect(token: string, signal: AbortSignal): Promise<void> {
    const { url, onError, counts } = this.#watch;
    const startedAt = Date.now();
    const socket = new DroppableSocket(url.replace("http", "ws") + PATH, ["loyalty-edge", `bearer.${token}`]);
    this.#socket = socket;
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    const noHello = setTimeout(() => {
      onError("live: no hello");
      socket.terminate();
    }, HELLO_WITHIN_MS);
    socket.addEventListener("message", ({ data }) => {
      if (data === HELLO) clearTimeout(noHello);
      if (data === "pong") counts.pongs += 1;
      else this.#take(String(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (!signal.aborted) this.#ended({ code, wasOpen: socket.protocol !== "", startedAt });
      ended.abort();
    });
    await this.#pingUntil(over, socket);
    clearTimeout(noHello);
    if (signal.aborted) socket.close(CLOSED_NORMALLY);
  }

  async #pingUntil(over: AbortSignal, socket: DroppableSocket): Promise<void> {
    const { random, counts } = this.#watch;
    for (let wait = random.next() * PING_MS; !over.aborted; wait = PING_MS) {
      await sleep(wait, null, { signal: over }).catch(() => {});
      if (!this.isOpen || over.aborted) continue;
      socket.send("ping");
      counts.pings += 1;
    }
  }

  #ended({ code, wasOpen, startedAt }: { code: number; wasOpen: boolean; startedAt: number }): void {
    const { counts, onError } = this.#watch;
    if (this.#connection !== null) {
      this.#connection.endedAt = Date.now();
      this.#connection = null;
      onError(`live: closed with ${code}`);
    } else if (!wasOpen) onError("live: no connection", startedAt);
    else if (this.#isClosing && code === CLOSED_NORMALLY) counts.answered += 1;
    this.#isClosing = false;
  }

  #take(text: string): void {
    const { counts, connections, onError } = this.#watch;
    if (text === HELLO) {
      this.#connection = { customer: this.#customer, helloAt: Date.now(), endedAt: null, messageFramesAt: [] };
      connections.push(this.#connection);
      return;
    }
    // What was still on its way when it was dropped is nobody's.
    if (this.#connection === null) return;
    const what = CHANGE_KINDS.filter((one) => text.includes(`"${one}"`));
    if (what.length === 0 || text !== JSON.stringify({ type: "changed", what })) onError(`live: the frame ${text}`);
    for (const one of what) counts.frames[one] += 1;
    if (what.includes("messages")) this.#connection.messageFramesAt.push(Date.now());
  }
}
