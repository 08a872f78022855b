import type { Socket } from "node:net";
import { Agent, buildConnector, WebSocket } from "undici";

/** A WebSocket that can also be cut off without a close frame, as when a phone enters a tunnel. */
export class DroppableSocket extends WebSocket {
  readonly #connection: { socket: Socket | null };

  constructor(url: string, protocols: string[]) {
    const connection: { socket: Socket | null } = { socket: null };
    const connect = buildConnector({});
    const dispatcher = new Agent({
      connect: (options, callback) =>
        connect(options, (...result) => {
          connection.socket = result[1];
          callback(...result);
        }),
    });
    super(url, { protocols, dispatcher });
    this.#connection = connection;
    this.addEventListener("close", () => void dispatcher.destroy());
  }

  terminate(): void {
    this.#connection.socket?.destroy();
  }
}
