import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A request or an answer on its way through the proxy. */
export interface Passing {
  method: string;
  /** The path, with its query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface PassingAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** How a service is broken: what is asked of it, or what it answers, is changed. */
export interface Break {
  request?: (request: Passing) => void;
  answer?: (answer: PassingAnswer, request: Passing) => void;
  /** Changes a frame to the app; null drops it. */
  frame?: (text: string) => string | null;
}

/** A service that answers as another does, but for one rule. */
export async function breakingProxy(target: string, broken: Break): Promise<{ url: string; server: Server }> {
  const server = createServer(async (incoming, response) => {
    const asked = await read(incoming);
    broken.request?.(asked);
    const { answer, body } = await forward(target, asked);
    const passing = { status: answer.statusCode ?? 0, headers: plain(answer), body };
    broken.answer?.(passing, asked);
    response.writeHead(passing.status, { ...passing.headers, "content-length": Buffer.byteLength(passing.body) });
    response.end(asked.method === "HEAD" ? undefined : passing.body);
  });
  server.on("upgrade", (incoming, socket, head) => {
    // Frames that are compressed could not be read.
    const { host: _, "sec-websocket-extensions": __, ...headers } = incoming.headers;
    const upstream = httpRequest(target + incoming.url, { headers });
    const hangUp = () => {
      socket.destroy();
      upstream.destroy();
    };
    socket.on("error", hangUp);
    upstream.on("error", hangUp);
    upstream.on("upgrade", (answer, far, farHead) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines(answer)}\r\n\r\n`);
      far.on("error", hangUp);
      const passOn = (part: Buffer) => {
        const text = broken.frame === undefined ? null : textOf(part);
        const changed = text === null ? undefined : broken.frame?.(text);
        if (changed === null) return;
        socket.write(changed === undefined || changed === text ? part : frameOf(changed));
      };
      if (farHead.length > 0) passOn(farHead);
      far.on("data", passOn);
      far.on("end", () => socket.end());
      far.write(head);
      socket.pipe(far);
    });
    upstream.on("response", (answer) => {
      socket.write(
        `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nConnection: close\r\n${lines(answer)}\r\n\r\n`,
      );
      answer.pipe(socket);
    });
    upstream.end();
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, server };
}

async function read(incoming: IncomingMessage): Promise<Passing> {
  const {
    host: _,
    "content-length": __,
    connection: ___,
    // What passes is read and changed as text.
    "accept-encoding": ____,
    ...headers
  } = plain(incoming);
  return { method: incoming.method ?? "", path: incoming.url ?? "", headers, body: await textIn(incoming) };
}

function forward(target: string, { method, path, headers, body }: Passing) {
  return new Promise<{ answer: IncomingMessage; body: string }>((resolve, reject) => {
    const length = method === "GET" || method === "HEAD" ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = httpRequest(target + path, { method, headers: { ...headers, ...length } });
    request.on("error", reject);
    request.on("response", (answer) => textIn(answer).then((text) => resolve({ answer, body: text }), reject));
    request.end(body);
  });
}

async function textIn(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts).toString();
}

function plain({ headers }: IncomingMessage): Record<string, string> {
  const names = Object.keys(headers).filter((name) => name !== "transfer-encoding" && name !== "keep-alive");
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

function lines(message: IncomingMessage): string {
  const { rawHeaders } = message;
  return rawHeaders
    .flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
    .join("\r\n");
}

/** The text of a short frame that the service sent alone, which all of its frames are. */
function textOf(part: Buffer): string | null {
  const [type, length = 0] = part;
  return type === 0x81 && length < 126 && part.length === length + 2 ? part.subarray(2).toString() : null;
}

function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, bytes.length]), bytes]);
}
