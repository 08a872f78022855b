import type { historySegments } from "../db/tables.ts";
import { R2_MS } from "../feed/export/page.ts";
import { sha256Of } from "../values/sha256.ts";
import { withTimeout } from "../values/timeout.ts";

/** A row about an object with events that have left the database (docs/contract/history.md, 2). */
export type Segment = typeof historySegments.$inferSelect;

/** The folder for the objects of a kind and month: `play/2026-03/`. */
export const folderOf = ({ kind, month }: Pick<Segment, "kind" | "month">) => `${kind}/${month}/`;

/** The name of a segment's object: `play/2026-03/1.ndjson.gz`. */
export const objectName = (folder: string, number: number) => `${folder}${number}.ndjson.gz`;

const OWNER = "owner";

/** The bucket has the segments of another deployment, which may have the same names. */
export class ForeignBucket extends Error {
  override readonly name = "ForeignBucket";
}

/**
 * Marks a bucket with the name of a Worker. From then on it belongs to this deployment (docs/contract/history.md, 2).
 * @throws {ForeignBucket} if it has another mark.
 */
export async function claimBucket(bucket: R2Bucket, worker: string): Promise<void> {
  const readOwner = async () => (await withTimeout(R2_MS, bucket.get(OWNER)))?.text();
  let owner = await readOwner();
  if (owner === undefined) {
    await withTimeout(R2_MS, bucket.put(OWNER, worker, { onlyIf: { etagDoesNotMatch: "*" } }));
    owner = await readOwner();
  }
  if (owner !== worker)
    throw new ForeignBucket(`The bucket that is bound as HISTORY belongs to ${owner}, so nothing leaves.`);
}

/** The gzipped bytes of lines, and their SHA-256 in hexadecimal. */
export async function pack(lines: Uint8Array<ArrayBuffer>): Promise<{ bytes: ArrayBuffer; sha256: string }> {
  const gzipped = new Blob([lines]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(gzipped).arrayBuffer();
  return { bytes, sha256: await sha256Of(bytes) };
}

/**
 * Writes an object under this number, or the number after the largest if the name is taken by another object. Resolves with
 * the number. The same object counts as written: a step that was cut off wrote it. Nothing is overwritten, because a time
 * travel of the database may bring back the row of an object that no row names now.
 * @throws if another run took the number after the largest, too.
 */
export async function putOnce(
  bucket: R2Bucket,
  { bytes, sha256 }: { bytes: ArrayBuffer; sha256: string },
  { folder, number }: { folder: string; number: number },
): Promise<number> {
  const isWritten = async (one: number) => {
    const name = objectName(folder, one);
    const isFree = { etagDoesNotMatch: "*" };
    const put = await withTimeout(R2_MS, bucket.put(name, bytes, { sha256, onlyIf: isFree }));
    if (put !== null) return true;
    const found = await withTimeout(R2_MS, bucket.head(name));
    return found?.checksums.toJSON().sha256 === sha256;
  };
  if (await isWritten(number)) return number;
  const largest = await findLargest(bucket, folder);
  for (const one of [largest, largest + 1]) if (await isWritten(one)) return one;
  throw new Error(`Another run writes to ${folder}.`);
}

/** The largest number of an object in a folder. A call lists a thousand. */
async function findLargest(bucket: R2Bucket, folder: string): Promise<number> {
  let largest = 0;
  let listed: R2Objects | undefined;
  do {
    const after = listed?.truncated ? { cursor: listed.cursor } : {};
    listed = await withTimeout(R2_MS, bucket.list({ prefix: folder, ...after }));
    largest = Math.max(largest, ...listed.objects.map(({ key }) => Number.parseInt(key.slice(folder.length), 10)));
  } while (listed.truncated);
  return largest;
}
