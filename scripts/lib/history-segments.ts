import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { kindOf } from "../../src/history/kinds.ts";
import type { Segment } from "../../src/history/object.ts";
import { askDatabase, type DatabaseLocation } from "./database.ts";
import { firstLines, formatCount, formatNumber } from "./format.ts";
import { type Bucket, boundBucket, type ObjectStore, openBucket } from "./history-bucket.ts";
import { progressPrinter } from "./progress.ts";
import { CommandError } from "./project.ts";
import { type SegmentLine, sumsOf } from "./summary-sums.ts";

/** A database, and the bucket with its segments. */
export interface OpenHistory {
  database: DatabaseLocation;
  bucket: Bucket;
  /** The number of segments that the database names. */
  segments: number;
}

const ROWS_A_QUERY = 5_000;

/** Opens the bucket of a deployment. @throws a CommandError if wrangler.toml binds none. */
export async function withBucket<Result>(
  database: DatabaseLocation,
  use: (history: OpenHistory) => Promise<Result>,
): Promise<Result> {
  boundBucket(database);
  // This fails if no service was ever started here. So it comes first: openBucket() would create the folder of the data.
  const segments = await countSegments(database);
  const bucket = await openBucket(database);
  return use({ database, bucket, segments }).finally(() => bucket.close());
}

/** Calls `work` for every segment that the database names, and collects faults. Resolves with the outcomes. */
export async function forEachSegment(
  { database, segments }: OpenHistory,
  work: (segment: Segment) => Promise<"done" | "skipped" | { fault: string }>,
) {
  const print = progressPrinter();
  let count = 0;
  const outcomes = { done: 0, skipped: 0, faults: [] as string[] };
  for await (const segment of segmentsOf(database)) {
    const outcome = await work(segment);
    if (typeof outcome === "string") outcomes[outcome] += 1;
    else outcomes.faults.push(`${segment.name} ${outcome.fault}`);
    count += 1;
    print(`${formatNumber(count)} of ${formatCount(segments, "segment")}`);
  }
  return outcomes;
}

/** @throws a CommandError that names the faulty objects, if there are any. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new CommandError(
      `${formatCount(faults.length, "object is", "objects are")} not as they should be:\n${firstLines(faults)}`,
    );
}

export async function countSegments(database: DatabaseLocation): Promise<number> {
  const query = "SELECT count(*) AS segments FROM history_segments";
  const [[row] = []] = await askDatabase<{ segments: number }>([query], database);
  return row?.segments ?? 0;
}

/** The segments that a database names, by kind, month and number. */
async function* segmentsOf(database: DatabaseLocation): AsyncGenerator<Segment> {
  let after = "('', '', 0)";
  for (let rowCount = ROWS_A_QUERY; rowCount === ROWS_A_QUERY; ) {
    const query = `SELECT kind, month, number, name, lines, bytes, sha256, oldest, newest, sums FROM history_segments
      WHERE (kind, month, number) > ${after} ORDER BY kind, month, number LIMIT ${ROWS_A_QUERY}`;
    const [rows = []] = await askDatabase<Segment>([query], database);
    yield* rows;
    rowCount = rows.length;
    const last = rows.at(-1);
    after = `('${last?.kind}', '${last?.month}', ${last?.number})`;
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The object of a segment, or a text that says why the object does not match the segment's row. */
export async function readObject(store: ObjectStore, { name, sha256 }: Segment): Promise<Buffer | string> {
  const bytes = await store.read(name);
  if (bytes === null) return `is not in the ${store.storage}`;
  return sha256Of(bytes) === sha256 ? bytes : "has another SHA-256 than the database says";
}

export function linesOf(object: Buffer): SegmentLine[] {
  const texts = gunzipSync(object).toString().split("\n");
  return texts.filter((text) => text !== "").map((text) => JSON.parse(text));
}

/** A text that says how the lines of a segment's object differ from its row; null if they match. */
export function faultOf(segment: Segment, objectLines: readonly SegmentLine[]): string | null {
  const { kind, lines, oldest, newest, sums } = segment;
  const sealedKind = kindOf(kind);
  const times = objectLines.map((line) => String(line[sealedKind.time])).sort();
  if (objectLines.some(({ record }) => record !== kind)) return "has lines of another kind";
  if (objectLines.length !== lines)
    return `has ${formatCount(objectLines.length, "line")}, and the database says ${lines}`;
  if (times[0] !== oldest || times.at(-1) !== newest) return "has events of another time than the database says";
  const actualSums = sumsOf(sealedKind, objectLines);
  return sums === actualSums ? null : `adds up to ${actualSums}, and the database says ${sums}`;
}
