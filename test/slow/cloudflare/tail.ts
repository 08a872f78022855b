import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export const LOG_LINE = "a line of the log";

/** Accepts the WebSocket of `wrangler tail`, and sends the trace of a request that wrote a line. */
export function sendLogLine({ headers }: IncomingMessage, socket: Duplex): void {
  // RFC 6455, 1.3: so a server proves that it has understood the handshake.
  const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    `Sec-WebSocket-Protocol: ${headers["sec-websocket-protocol"]}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.on("error", () => {});
  const log = { message: [LOG_LINE], level: "log", timestamp: 0 };
  const trace = Buffer.from(
    JSON.stringify({ outcome: "ok", scriptName: null, exceptions: [], logs: [log], eventTimestamp: 0, event: null }),
  );
  // A text of less than 64 KiB in one frame.
  const header = Buffer.from([0x81, 126, trace.length >> 8, trace.length & 0xff]);
  socket.write(Buffer.concat([header, trace]));
}
