import { once } from "node:events";
import { createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Standard output, in place of a file's name. */
export const STANDARD_OUTPUT = "-";

/**
 * Replaces a file in one step: whoever reads it or watches it sees the old file or the whole new one. The draft needs another
 * folder if everything in the file's own folder is served.
 */
export function replaceFile(file: string, contents: string | Uint8Array, draftFolder = path.dirname(file)): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = path.join(draftFolder, `${path.basename(file)}.${process.pid}.part`);
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

/** Writes a stream into a file. The file gets its name once it is whole; after a failure nothing is left. `.gz` compresses. */
export async function writeWhole(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  if (name === STANDARD_OUTPUT) return pipeline(pieces, process.stdout, { end: false });
  const unfinished = `${name}.${process.pid}.part`;
  const file = createWriteStream(unfinished, { flush: true });
  // Otherwise the file could be created after a failure has removed it.
  await once(file, "open");
  try {
    await (name.endsWith(".gz") ? pipeline(pieces, createGzip(), file) : pipeline(pieces, file));
    renameSync(unfinished, name);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
