import { WebSocket } from "undici";
import { SUBPROTOCOL, TOKEN_PREFIX } from "../../../src/auth/subprotocols.ts";
import { CommandError } from "../../lib/project.ts";

const AT_ONCE = 50;

/** Whose sockets are opened: the service's address, and a token for each customer. */
export interface Connectable {
  url: string;
  customerToken: (customerId: string) => Promise<string>;
}

/** When frames came; in milliseconds since 1970, because they are compared with D1's clock. */
export class Frames {
  readonly #times: number[] = [];
  #onFrame: () => void = () => {};

  add(): void {
    this.#times.push(Date.now());
    this.#onFrame();
  }

  /**
   * Resolves once so many have come, with when the first and the last did.
   * @throws a CommandError where too few come in time.
   */
  async come(count: number, withinMs: number): Promise<{ first: number; last: number }> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      reject(new CommandError(`${this.#times.length} of ${count} frames came.`));
    }, withinMs);
    this.#onFrame = () => {
      if (this.#times.length >= count) resolve();
    };
    this.#onFrame();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
    return { first: this.#times[0] ?? Number.NaN, last: this.#times.at(-1) ?? Number.NaN };
  }
}

/** Open sockets, each over a connection of its own. */
export class Sockets {
  readonly #open: WebSocket[] = [];
  #onFrame: () => void = () => {};

  /** Opens `each` sockets for every customer, and resolves when all have said hello. */
  static async open({ url, customerToken }: Connectable, customers: readonly string[], each = 1): Promise<Sockets> {
    const sockets = new Sockets();
    const queue = customers.flatMap((id) => Array<string>(each).fill(id)).values();
    const openNext = async () => {
      for (const id of queue) await sockets.#connect(url, await customerToken(id));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, openNext));
    return sockets;
  }

  get count(): number {
    return this.#open.length;
  }

  /** Counts frames from now on. */
  listen(): Frames {
    const frames = new Frames();
    this.#onFrame = () => frames.add();
    return frames;
  }

  async close(): Promise<void> {
    const closed = this.#open.map((socket) => new Promise((resolve) => socket.addEventListener("close", resolve)));
    for (const socket of this.#open) socket.close();
    await Promise.all(closed);
  }

  /** Opens one socket; its frames count once it has said hello. */
  #connect(url: string, token: string): Promise<void> {
    const socket = new WebSocket(new URL("/api/v1/customer/live", url.replace(/^http/, "ws")), [
      SUBPROTOCOL,
      TOKEN_PREFIX + token,
    ]);
    return new Promise((resolve, reject) => {
      const fail = () => reject(new CommandError("A socket could not be opened."));
      socket.addEventListener("error", fail);
      socket.addEventListener("message", ({ data }) => {
        const { type } = JSON.parse(String(data)) as { type: string };
        if (type === "hello") {
          this.#open.push(socket);
          resolve();
        } else this.#onFrame();
      });
    });
  }
}
