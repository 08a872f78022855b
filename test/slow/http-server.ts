import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";

type Upgrade = (request: IncomingMessage, socket: Duplex) => void;

/** Starts an HTTP server, which ends with the tests of the file. Resolves with its address. */
export async function serveHttp(answer: RequestListener, upgrade?: Upgrade): Promise<string> {
  // After unref(), the server does not keep the process alive.
  const server = createServer(answer).unref().listen(0, "127.0.0.1");
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How a scripted service answers a request. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** A text, or a value that is sent as JSON. */
  body?: unknown;
  /** Closes the connection without an answer. */
  hangsUp?: boolean;
  /** The service answers after this. */
  after?: Promise<unknown>;
}

interface ReceivedRequest {
  url: URL;
  token: string | undefined;
  lines: string[];
}

/** A service that gives the replies in turn. After the last reply it accepts everything. */
export async function scriptedService(...replies: Reply[]) {
  const requests: ReceivedRequest[] = [];
  /** The lines of each request that got a 200. */
  const acceptedRequests: string[][] = [];
  const url = await serveHttp(async (request, response) => {
    const lines = String(await buffer(request))
      .trimEnd()
      .split("\n");
    requests.push({ url: new URL(request.url ?? "", "http://host"), token: request.headers.authorization, lines });
    const { status = 200, headers, body, hangsUp, after } = replies.shift() ?? {};
    await after;
    if (hangsUp) return request.socket.destroy();
    if (status === 200) acceptedRequests.push(lines);
    const accepted = { status: true, items: { accepted: lines.length, ignored: 0 } };
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body ?? accepted));
  });
  return { url, args: ["--url", url, "--token", "t"], requests, acceptedRequests };
}
