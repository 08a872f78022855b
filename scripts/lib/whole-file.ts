import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** A file name that stands for standard output. */
export const STANDARD_OUTPUT = "-";

/**
 * Replaces a file that has other contents, in one step, so that nobody reads half of it: writes a draft, and renames it.
 * The draft needs another folder if everything in the file's own folder is served.
 */
export function replaceFile(file: string, contents: string | Uint8Array, draftFolder = path.dirname(file)): void {
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(contents))) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = path.join(draftFolder, `${path.basename(file)}.${process.pid}.part`);
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

/** Writes a stream into a file, compressed if its name ends with `.gz`. After a failure no file is left. */
export async function writeWhole(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  if (name === STANDARD_OUTPUT) return pipeline(pieces, process.stdout, { end: false });
  const draft = `${name}.${process.pid}.part`;
  const file = createWriteStream(draft, { flush: true });
  // Waits, because otherwise the file could be created after the code below has removed it.
  await once(file, "open");
  try {
    await (name.endsWith(".gz") ? pipeline(pieces, createGzip(), file) : pipeline(pieces, file));
    renameSync(draft, name);
  } finally {
    rmSync(draft, { force: true });
  }
}
