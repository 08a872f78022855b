import { Pool } from "undici";
import { CommandError } from "../lib/command-error.ts";
import type { Call } from "./cases.ts";

/** An answer, and what `Server-Timing` says that it cost. */
export interface Reply {
  bytes: number;
  milliseconds: number;
  roundTrips: number;
  /** What SQLite itself took, in whole milliseconds: no more is known on this machine. */
  sqlMilliseconds: number;
  rowsRead: number;
  rowsWritten: number;
}

/** A request of the feed, of lines that are JSON text. */
export function feedCall(token: string, lines: readonly string[]): Call {
  const body = lines.join("\n");
  return { method: "POST", path: "/api/v1/feed", token, body, mediaType: "application/x-ndjson" };
}

/** Connections that stay open, as many as are asked for. */
export class Connections {
  readonly #pool: Pool;

  constructor(url: string, connections: number) {
    this.#pool = new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Sends a request and reads the whole answer. @throws a CommandError for any answer but 200. */
  async send({ method, path, token, body = "", mediaType = "application/json" }: Call): Promise<Reply> {
    const headers = { Authorization: `Bearer ${token}`, ...(method === "POST" && { "Content-Type": mediaType }) };
    const startedAt = performance.now();
    const response = await this.#pool.request({ method, path, headers, body: method === "GET" ? null : body });
    const answer = Buffer.from(await response.body.arrayBuffer());
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

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
