import { once } from "node:events";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Standard output, in place of a file's name. */
export const STANDARD_OUTPUT = "-";

/**
 * Writes a file that is there under its name only once it is whole; if anything fails, nothing is left. A name that ends
 * in `.gz` is compressed.
 */
export async function writeWhole(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  if (name === STANDARD_OUTPUT) return pipeline(pieces, process.stdout, { end: false });
  const unfinished = `${name}.${process.pid}.part`;
  const file = createWriteStream(unfinished, { flush: true });
  // Else a failure could come first, and the file appear after it was removed.
  await once(file, "open");
  try {
    await (name.endsWith(".gz") ? pipeline(pieces, createGzip(), file) : pipeline(pieces, file));
    renameSync(unfinished, name);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
