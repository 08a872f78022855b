import { withTimeout } from "../values/timeout.ts";

/** How long R2 may take for a call. The step is repeated later. */
const R2_MS = 10_000;

/** The gzipped bytes of lines, and their SHA-256 in hexadecimal. */
export async function pack(lines: Uint8Array<ArrayBuffer>): Promise<{ bytes: ArrayBuffer; sha256: string }> {
  const gzipped = new Blob([lines]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(gzipped).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { bytes, sha256: [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/**
 * Writes an object under the first number from this one on that is free, or that has the same object, of a step that was
 * cut off. It overwrites nothing: after time travel of the database, an object that no row names may be named again.
 */
export async function putOnce(
  bucket: R2Bucket,
  { bytes, sha256 }: { bytes: ArrayBuffer; sha256: string },
  { from, nameOf }: { from: number; nameOf: (number: number) => string },
): Promise<number> {
  for (let number = from; ; number += 1) {
    const name = nameOf(number);
    const isFree = { etagDoesNotMatch: "*" };
    const put = await withTimeout(R2_MS, bucket.put(name, bytes, { sha256, onlyIf: isFree }));
    if (put !== null) return number;
    const found = await withTimeout(R2_MS, bucket.head(name));
    if (found?.checksums.toJSON().sha256 === sha256) return number;
  }
}
