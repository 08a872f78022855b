import { inBatches } from "../lib/feed-client.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import { Connections, feedCall } from "./http.ts";
import type { Runtime } from "./runtime.ts";

/** What it took to store the lines of one kind; of requests with several kinds, all of them. */
export interface KindLoad {
  kind: string;
  lines: number;
  seconds: number;
  /** By bare inserts of the same lines. */
  bareSeconds: number;
  rowsWritten: number;
}

/**
 * Feeds the lines, and after each request stores the same lines by bare inserts, so that both meet the machine in the
 * same state. Times are those of the requests alone.
 */
export async function load(
  { url, feedToken: token }: Runtime,
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  onProgress: (lines: number) => void,
): Promise<KindLoad[]> {
  const connections = new Connections(url, 1);
  const kinds = new Map<string, KindLoad>();
  try {
    for await (const batch of inBatches(lines, { pages: true })) {
      const texts = batch.lines.map(({ bytes }) => bytes.toString());
      const { milliseconds, rowsWritten } = await connections.send(feedCall(token, texts));
      const byKind = Map.groupBy(texts, (text) => (JSON.parse(text) as { record: string }).record);
      const [[first = ""] = [], ...others] = byKind;
      const kind = others.length === 0 ? first : "several";
      const sum = kinds.get(kind) ?? { kind, lines: 0, seconds: 0, bareSeconds: 0, rowsWritten: 0 };
      kinds.set(kind, sum);
      for (const [record, ofKind] of byKind) {
        const bare = await connections.send({ ...feedCall(token, ofKind), path: `/bench/bare/${record}` });
        sum.bareSeconds += bare.milliseconds / 1_000;
      }
      sum.lines += texts.length;
      sum.seconds += milliseconds / 1_000;
      sum.rowsWritten += rowsWritten;
      onProgress(texts.length);
    }
    return [...kinds.values()];
  } finally {
    connections.close();
  }
}
