import { checkLine } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { inBatches } from "../lib/feed-client.ts";
import type { FileLine } from "../lib/ndjson-file.ts";
import { CommandError } from "../lib/project.ts";
import { intoBareTables, intoSameTables } from "./bare.ts";
import type { Call } from "./cases.ts";
import { Connections } from "./http.ts";
import { withUuids } from "./program/uuids.ts";
import type { Stand } from "./stand.ts";

const MOST_RUNS = 20;

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
  /** Through the feed with UUIDs for ids, where that was measured. */
  uuidSeconds?: number;
}

/**
 * Feeds the lines, each request of one kind, and after each stores the same rows by bare inserts, so that all three meet
 * the machine in the same state. Times are those of the requests alone. The same lines are fed to
 * `uuidStand`, where there is one, with UUIDs for ids, in turn with the others.
 */
export async function load(
  stand: Stand,
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  onProgress: (lines: number) => void,
  uuidStand?: Stand,
): Promise<KindLoad[]> {
  const connections = new Connections(stand.url, 1);
  const post = (call: Pick<Call, "path" | "body" | "mediaType">) =>
    connections.send({ method: "POST", token: stand.feedToken, ...call });
  const feedWithUuids = uuidStand && uuidFeeder(uuidStand);
  const kinds = new Map<string, KindLoad>();
  try {
    for await (const runs of ofOneKind(inBatches(lines))) {
      const texts = runs.flatMap(([, texts]) => texts);
      const kind = runs.length === 1 ? String(runs[0]?.[0]) : "mixed";
      const fed = await post({ path: "/api/v1/feed", body: texts.join("\n"), mediaType: "application/x-ndjson" });
      let [same, bare] = [0, 0];
      for (const [record, ofKind] of byKind(runs)) {
        same += (await post({ path: "/bench/statements", body: intoSameTables(record, ofKind) })).milliseconds;
        bare += (await post({ path: "/bench/statements", body: intoBareTables(record, ofKind) })).milliseconds;
      }
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
      sum.sameTablesSeconds += same / 1_000;
      sum.bareTablesSeconds += bare / 1_000;
      sum.rowsWritten += fed.rowsWritten;
      if (feedWithUuids) sum.uuidSeconds = (sum.uuidSeconds ?? 0) + (await feedWithUuids.feed(texts)) / 1_000;
      kinds.set(kind, sum);
      onProgress(texts.length);
    }
    return [...kinds.values()];
  } finally {
    await Promise.all([connections.close(), feedWithUuids?.close()]);
  }
}

/** What feeds lines to a stand with UUIDs for ids, and resolves with the milliseconds that it took. */
function uuidFeeder({ url, feedToken: token }: Stand) {
  const connections = new Connections(url, 1);
  return {
    async feed(texts: readonly string[]): Promise<number> {
      let milliseconds = 0;
      // UUIDs are longer: what was one request may be two.
      const lines = texts.map((text, index) => ({ number: index + 1, bytes: Buffer.from(withUuids(text)) }));
      for await (const batch of inBatches(lines)) {
        const body = batch.lines.map(({ bytes }) => bytes.toString()).join("\n");
        const call = { method: "POST", path: "/api/v1/feed", token, body, mediaType: "application/x-ndjson" } as const;
        milliseconds += (await connections.send(call)).milliseconds;
      }
      return milliseconds;
    },
    close: () => connections.close(),
  };
}

/** Lines of one kind that follow on each other. */
type Run = [kind: string, texts: string[]];

/**
 * The requests cut where the kind changes, so that what a row costs is known by its kind; where it changes all the time
 * a request stays whole, as the feed command would send it.
 */
async function* ofOneKind(batches: AsyncIterable<{ lines: readonly FileLine[] }>): AsyncGenerator<Run[]> {
  for await (const { lines } of batches) {
    const runs: Run[] = [];
    for (const { bytes, number } of lines) {
      const text = bytes.toString();
      const kind = kindOf(text, number);
      if (runs.at(-1)?.[0] !== kind) runs.push([kind, []]);
      runs.at(-1)?.[1].push(text);
    }
    if (runs.length > MOST_RUNS) yield runs;
    else for (const run of runs) yield [run];
  }
}

/** The lines of each kind, in the order in which kinds refer to each other. */
function byKind(runs: readonly Run[]): Run[] {
  return KINDS.flatMap(({ record }): Run[] => {
    const texts = runs.filter(([kind]) => kind === record).flatMap(([, texts]) => texts);
    return texts.length === 0 ? [] : [[record, texts]];
  });
}

function kindOf(text: string, number: number): string {
  const { messages } = checkLine({ number, text }) as { messages?: unknown };
  if (messages !== undefined) throw new CommandError(`Line ${number} is bad: ${JSON.stringify(messages)}`);
  return (JSON.parse(text) as { record: string }).record;
}
