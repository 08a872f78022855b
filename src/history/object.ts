import type { historySegments } from "../db/tables.ts";
import { R2_LIMIT_MS } from "../feed/export/queries.ts";
import { sha256Of } from "../values/sha256.ts";
import { withTimeout } from "../values/timeout.ts";

/** A row about an object in R2 with events that have left the database (docs/contract/history.md, 2). */
export type Segment = typeof historySegments.$inferSelect;

/** The name of a segment's object: `play/2026-03/1.ndjson.gz`, in the folder `play/2026-03/` of its kind and month. */
export const objectName = (folder: string, number: number) => `${folder}${number}.ndjson.gz`;

/** The object with the name of the Worker to which the bucket belongs. */
const OWNER_OBJECT = "owner";
/** The condition of a `put` that overwrites nothing. */
const IF_NEW = { etagDoesNotMatch: "*" };

/** The bucket belongs to another deployment, whose objects may have the same names. */
export class ForeignBucket extends Error {
  override readonly name = "ForeignBucket";
}

/**
 * Marks a bucket with the name of this Worker, to which it belongs from then on (docs/contract/history.md, 2).
 * @throws {ForeignBucket} if it has the name of another Worker.
 */
export async function claimBucket(bucket: R2Bucket, worker: string): Promise<void> {
  const readOwner = async () => (await withTimeout(R2_LIMIT_MS, bucket.get(OWNER_OBJECT)))?.text();
  let owner = await readOwner();
  if (owner === undefined) {
    await withTimeout(R2_LIMIT_MS, bucket.put(OWNER_OBJECT, worker, { onlyIf: IF_NEW }));
    owner = await readOwner();
  }
  if (owner !== worker)
    throw new ForeignBucket(`The bucket that is bound as HISTORY belongs to ${owner}, so nothing leaves.`);
}

/** Gzips lines. `sha256` is the hash of the gzipped bytes, in hexadecimal. */
export async function gzipLines(lines: Uint8Array<ArrayBuffer>): Promise<{ bytes: ArrayBuffer; sha256: string }> {
  const gzipped = new Blob([lines]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(gzipped).arrayBuffer();
  return { bytes, sha256: await sha256Of(bytes) };
}

/**
 * Writes an object under this number, or under a later one if other objects have the names. Resolves with the number. An
 * object with the same bytes counts as written, because a step that was cut off may have written it. Nothing is overwritten:
 * time travel of the database may bring back a row about an object that no row names now.
 */
export async function putOnce(
  bucket: R2Bucket,
  { bytes, sha256 }: { bytes: ArrayBuffer; sha256: string },
  { folder, number }: { folder: string; number: number },
): Promise<number> {
  // The distance doubles, so that ten thousand objects are passed in fifteen tries. A repeated step makes the same tries.
  for (let distance = 0; ; distance = 2 * distance + 1) {
    const candidate = number + distance;
    const name = objectName(folder, candidate);
    const put = await withTimeout(R2_LIMIT_MS, bucket.put(name, bytes, { sha256, onlyIf: IF_NEW }));
    if (put !== null) return candidate;
    const found = await withTimeout(R2_LIMIT_MS, bucket.head(name));
    if (found?.checksums.toJSON().sha256 === sha256) return candidate;
  }
}
