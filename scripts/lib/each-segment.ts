import type { Segment } from "../../src/history/object.ts";
import type { AnyDatabase, Where } from "./database.ts";
import { type Bucket, boundBucket, openBucket } from "./history-bucket.ts";
import { countSegments, segmentsOf } from "./history-segments.ts";
import { ProgressLine } from "./progress-line.ts";
import { CommandError } from "./project.ts";
import { count } from "./words.ts";

const NAMED_FAULTS = 20;

type Outcome = "done" | "skipped" | { fault: string };

export interface Opened {
  where: AnyDatabase;
  bucket: Bucket;
  /** How many segments the database names. */
  segments: number;
}

/** Opens the bucket of a deployment. @throws a CommandError where it binds none. */
export async function withBucket<Result>(where: Where, use: (opened: Opened) => Promise<Result>): Promise<Result> {
  boundBucket(where);
  // Before the bucket, which would make the folder of a local service that is not there.
  const segments = await countSegments(where);
  const bucket = await openBucket(where);
  return use({ where, bucket, segments }).finally(() => bucket.close());
}

/** Does something with every segment that the database names, and goes on after a segment that is wrong. */
export async function forEachSegment(
  { where, bucket, segments }: Opened,
  work: (segment: Segment, bucket: Bucket) => Promise<Outcome>,
) {
  const progress = new ProgressLine();
  const onSegment = segments > 0 ? progress.begin("Segments", segments) : () => {};
  const ended = { done: 0, skipped: 0, faults: [] as string[] };
  try {
    for await (const segment of segmentsOf(where)) {
      const outcome = await work(segment, bucket);
      if (typeof outcome === "string") ended[outcome] += 1;
      else ended.faults.push(`${segment.name} ${outcome.fault}`);
      onSegment();
    }
  } finally {
    progress.end();
  }
  return ended;
}

/** @throws a CommandError that names the objects that are not as they should be, where there are any. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length > NAMED_FAULTS ? [`… and ${faults.length - NAMED_FAULTS} more`] : [];
  const lines = [...faults.slice(0, NAMED_FAULTS), ...more].map((line) => `  ${line}`);
  throw new CommandError(`${count(faults.length)} objects are not as they should be:\n${lines.join("\n")}`);
}
