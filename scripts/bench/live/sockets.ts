import { setTimeout as sleep } from "node:timers/promises";
import { SUBPROTOCOL, TOKEN_PREFIX } from "../../../src/auth/subprotocols.ts";
import { CommandError } from "../../lib/project.ts";
import type { Runtime } from "../runtime.ts";

const OPENED_AT_ONCE = 50;
const GIVE_UP_MS = 20_000;

/** Open sockets, each over a connection of its own. */
export class Sockets {
  readonly #open: WebSocket[] = [];
  /** When frames came; in milliseconds since 1970, because they are compared with D1's clock. */
  #frames: number[] = [];

  /** Opens `each` sockets for every customer, and resolves when all have said hello. */
  static async open({ url, customerToken }: Runtime, customers: readonly string[], each = 1): Promise<Sockets> {
    const sockets = new Sockets();
    const queue = customers.flatMap((id) => Array<string>(each).fill(id)).values();
    const openNext = async () => {
      for (const id of queue) await sockets.#connect(url, await customerToken(id));
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
    return sockets;
  }

  get count(): number {
    return this.#open.length;
  }

  /** Counts frames from now on. */
  listen(): void {
    this.#frames = [];
  }

  /**
   * Resolves once so many frames have come, with when the first and the last did.
   * @throws a CommandError where too few come in time.
   */
  async framesCame(count: number): Promise<{ first: number; last: number }> {
    for (const deadline = Date.now() + GIVE_UP_MS; this.#frames.length < count; await sleep(5)) {
      if (Date.now() > deadline) throw new CommandError(`${this.#frames.length} of ${count} frames came.`);
    }
    return { first: this.#frames[0] ?? Number.NaN, last: this.#frames.at(-1) ?? Number.NaN };
  }

  async close(): Promise<void> {
    const closed = this.#open.map((socket) => new Promise((resolve) => socket.addEventListener("close", resolve)));
    for (const socket of this.#open) socket.close();
    await Promise.all(closed);
  }

  /** Opens one socket; its frames count once it has said hello. */
  #connect(url: string, token: string): Promise<void> {
    const address = `${url.replace(/^http/, "ws")}/api/v1/customer/live`;
    const socket = new WebSocket(address, [SUBPROTOCOL, TOKEN_PREFIX + token]);
    return new Promise((resolve, reject) => {
      socket.addEventListener("error", () => reject(new CommandError("A socket could not be opened.")));
      socket.addEventListener("message", ({ data }) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        if (type !== "hello") return void this.#frames.push(Date.now());
        this.#open.push(socket);
        resolve();
      });
    });
  }
}
