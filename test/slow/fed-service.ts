import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach } from "vitest";
import { removeFolder } from "./clone.ts";
import { inProcess } from "./in-process.ts";

// A service for npm run feed that answers as a test tells it to.

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Ends the connection without an answer. */
  hangUp?: boolean;
  /** The answer waits for it. */
  after?: Promise<void>;
}

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-feed-"));
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => removeFolder(folder));

/** A service that gives the replies in turn, then takes everything; `received` holds the lines of each request it took. */
export async function service(...replies: Reply[]) {
  const received: string[][] = [];
  const tokens: (string | undefined)[] = [];
  const asked = { count: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
    const reply = replies.shift() ?? {};
    asked.count += 1;
    await reply.after;
    if (reply.hangUp) return request.socket.destroy();
    const status = reply.status ?? 200;
    if (status === 200) {
      received.push(lines);
      tokens.push(request.headers.authorization);
    }
    response.writeHead(status, reply.headers);
    response.end(JSON.stringify(reply.body ?? { status: true, items: { accepted: lines.length, ignored: 0 } }));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, args: ["--url", url, "--token", "t"], asked, received, tokens };
}

export const customer = (number: number) =>
  JSON.stringify({ record: "customer", id: `c${number}`, first_name: "A", last_name: "B" });
export const numbered = (count: number) => Array.from({ length: count }, (_, index) => customer(index + 1));

export const entries = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ record: "balance_entry", id: `e${index}`, amount: "1.00", created_at: "2026-01-01 00:00:00" }),
  );

export function file(name: string, content: string | Buffer): string {
  const place = path.join(folder, name);
  writeFileSync(place, content);
  return place;
}

export const feed = (...args: string[]) => inProcess("feed", args);
