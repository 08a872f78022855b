import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { CommandError } from "../lib/project.ts";
import type { Call } from "./cases.ts";

/** The size of an answer, and its costs from the header `Server-Timing`. */
export interface Reply {
  bytes: number;
  milliseconds: number;
  roundTrips: number;
  /** SQLite's own time, in whole milliseconds. */
  sqlMilliseconds: number;
  rowsRead: number;
  rowsWritten: number;
}

export function feedCall(token: string, lines: readonly object[]): Call {
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  return { path: "/api/v1/feed", token, body };
}

/** Sends a request and reads the whole answer. @throws a CommandError for any answer but 200. */
export async function send(url: string, { path, token, body }: Call): Promise<Reply> {
  const method = body === undefined ? "GET" : "POST";
  const headers = { Authorization: `Bearer ${token}` };
  const startedAt = performance.now();
  // Node's own agent keeps the connection open for the next request.
  const clientRequest = request(url + path, { method, headers });
  clientRequest.end(body);
  const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
  const answer = await buffer(response);
  const milliseconds = performance.now() - startedAt;
  if (response.statusCode !== 200)
    throw new CommandError(`${method} ${path} answered ${response.statusCode}: ${answer.toString().slice(0, 1_000)}`);
  const timing = String(response.headers["server-timing"] ?? "");
  const count = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1] ?? 0);
  return {
    bytes: answer.length,
    milliseconds,
    roundTrips: count("trips"),
    sqlMilliseconds: Number(/sql;dur=([\d.]+)/.exec(timing)?.[1] ?? 0),
    rowsRead: count("rows"),
    rowsWritten: count("written"),
  };
}
