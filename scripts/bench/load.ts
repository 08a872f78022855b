import { checkLine } from "../../src/feed/lines.ts";
import { inBatches } from "../lib/feed-client.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import { CommandError } from "../lib/project.ts";
import { intoBareTables, intoSameTables } from "./bare.ts";
import { Connections } from "./http.ts";
import type { Stand } from "./stand.ts";

/** What it took to store the lines of one kind: through the feed, and by bare inserts of the same rows. */
export interface KindLoad {
  kind: string;
  lines: number;
  feedSeconds: number;
  /** Into tables as the service has them, with their indexes and triggers. */
  sameTablesSeconds: number;
  /** Into tables with nothing but a key. */
  bareTablesSeconds: number;
  rowsWritten: number;
}

/**
 * Feeds the lines, each request of one kind, and after each stores the same rows by bare inserts, so that all three meet
 * the machine in the same state. Times are those of the requests alone.
 */
export async function load(
  stand: Stand,
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  onProgress: (lines: number) => void,
): Promise<KindLoad[]> {
  const connections = new Connections(stand.url, 1);
  const post = (path: string, body: string) => connections.send({ method: "POST", path, token: stand.feedToken, body });
  const kinds = new Map<string, KindLoad>();
  try {
    for await (const [kind, texts] of ofOneKind(inBatches(lines))) {
      const fed = await post("/api/v1/feed", texts.join("\n"));
      const same = await post("/bench/statements", intoSameTables(kind, texts));
      const bare = await post("/bench/statements", intoBareTables(kind, texts));
      const sum = kinds.get(kind) ?? {
        kind,
        lines: 0,
        feedSeconds: 0,
        sameTablesSeconds: 0,
        bareTablesSeconds: 0,
        rowsWritten: 0,
      };
      sum.lines += texts.length;
      sum.feedSeconds += fed.milliseconds / 1_000;
      sum.sameTablesSeconds += same.milliseconds / 1_000;
      sum.bareTablesSeconds += bare.milliseconds / 1_000;
      sum.rowsWritten += fed.rowsWritten;
      kinds.set(kind, sum);
      onProgress(texts.length);
    }
    return [...kinds.values()];
  } finally {
    await connections.close();
  }
}

/** The requests cut where the kind changes: what a row costs is then known by its kind. */
async function* ofOneKind(
  batches: AsyncIterable<{ lines: readonly FileLine[] }>,
): AsyncGenerator<[kind: string, texts: string[]]> {
  for await (const { lines } of batches) {
    let run: [string, string[]] | undefined;
    for (const { bytes, number } of lines) {
      const text = bytes.toString();
      const kind = kindOf(text, number);
      if (run?.[0] !== kind) {
        if (run !== undefined) yield run;
        run = [kind, []];
      }
      run[1].push(text);
    }
    if (run !== undefined) yield run;
  }
}

function kindOf(text: string, number: number): string {
  const { messages } = checkLine({ number, text }) as { messages?: unknown };
  if (messages !== undefined) throw new CommandError(`Line ${number} is bad: ${JSON.stringify(messages)}`);
  return (JSON.parse(text) as { record: string }).record;
}
