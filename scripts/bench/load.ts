import { KINDS_IN_ORDER, linesOf } from "../program/program.ts";
import { feedCall, send } from "./http.ts";
import type { Runtime } from "./runtime.ts";

export interface KindLoad {
  kind: string;
  lines: number;
  seconds: number;
  /** How long plain INSERT statements (bare.ts) take for the same lines. */
  bareSeconds: number;
  rowsWritten: number;
}

const LINES_A_REQUEST = 2_000;
// A request may list 20,000 ids, and each campaign lists up to fifty stores.
const CAMPAIGNS_A_REQUEST = 200;

/** Yields the lines of one request after the other. */
export function* inRequests<Line>(lines: Iterable<Line>, count = LINES_A_REQUEST): Generator<Line[]> {
  let request: Line[] = [];
  for (const line of lines) {
    if (request.push(line) < count) continue;
    yield request;
    request = [];
  }
  if (request.length > 0) yield request;
}

/**
 * Feeds a program, kind by kind. After each feed request, plain INSERT statements store the same lines, so that
 * the state of the machine affects both alike. The seconds are those of the requests only.
 */
export async function load({ url, feedToken }: Runtime, program: Parameters<typeof linesOf>[0]): Promise<KindLoad[]> {
  const kinds: KindLoad[] = [];
  for (const kind of KINDS_IN_ORDER) {
    const kindLoad: KindLoad = { kind, lines: 0, seconds: 0, bareSeconds: 0, rowsWritten: 0 };
    const linesARequest = kind === "campaign" ? CAMPAIGNS_A_REQUEST : LINES_A_REQUEST;
    for (const lines of inRequests(linesOf(program, kind), linesARequest)) {
      const call = feedCall(feedToken, lines);
      const { milliseconds, rowsWritten } = await send(url, call);
      const bareReply = await send(url, { ...call, path: `/bench/bare/${kind}` });
      kindLoad.lines += lines.length;
      kindLoad.seconds += milliseconds / 1_000;
      kindLoad.bareSeconds += bareReply.milliseconds / 1_000;
      kindLoad.rowsWritten += rowsWritten;
    }
    kinds.push(kindLoad);
  }
  return kinds;
}
