import { KINDS_IN_ORDER, linesOf } from "../program/program.ts";
import { Connections, feedCall } from "./http.ts";
import type { Runtime } from "./runtime.ts";

export interface KindLoad {
  kind: string;
  lines: number;
  seconds: number;
  /** The time of bare inserts of the same lines. */
  bareSeconds: number;
  rowsWritten: number;
}

const LINES_A_REQUEST = 2_000;
// A campaign lists up to fifty stores, and a request may list 20,000.
const CAMPAIGNS_A_REQUEST = 200;

/** The lines as JSON, in groups for one request each. */
export function* inRequests(lines: Iterable<object>, count = LINES_A_REQUEST): Generator<string[]> {
  let request: string[] = [];
  for (const line of lines) {
    if (request.push(JSON.stringify(line)) < count) continue;
    yield request;
    request = [];
  }
  if (request.length > 0) yield request;
}

/**
 * Feeds a program, kind by kind. After each request bare inserts store the same lines, so that the state of the machine affects
 * both alike. It measures only the requests.
 */
export async function load(
  { url, feedToken: token }: Runtime,
  program: Parameters<typeof linesOf>[0],
  onProgress: (lines: number) => void,
): Promise<KindLoad[]> {
  const connections = new Connections(url, 1);
  const kinds: KindLoad[] = [];
  try {
    for (const kind of KINDS_IN_ORDER) {
      const sum: KindLoad = { kind, lines: 0, seconds: 0, bareSeconds: 0, rowsWritten: 0 };
      const count = kind === "campaign" ? CAMPAIGNS_A_REQUEST : LINES_A_REQUEST;
      for (const texts of inRequests(linesOf(program, kind), count)) {
        const { milliseconds, rowsWritten } = await connections.send(feedCall(token, texts));
        const bare = await connections.send({ ...feedCall(token, texts), path: `/bench/bare/${kind}` });
        sum.lines += texts.length;
        sum.seconds += milliseconds / 1_000;
        sum.bareSeconds += bare.milliseconds / 1_000;
        sum.rowsWritten += rowsWritten;
        onProgress(texts.length);
      }
      kinds.push(sum);
    }
    return kinds;
  } finally {
    connections.close();
  }
}
