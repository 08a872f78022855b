import { createWriteStream, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Something that is written piece by piece. */
export interface Output {
  write: (bytes: Uint8Array) => Promise<void>;
  /** Ends it: from now on it is there under its name. */
  keep: () => Promise<void>;
  /** Leaves nothing behind, as far as that is possible, unless it is kept already. */
  discard: () => Promise<void>;
}

/** A file that is there under its name only once it is whole. One whose name ends in `.gz` is compressed. */
export function wholeFile(name: string): Output {
  const unfinished = `${name}.${process.pid}.part`;
  const file = createWriteStream(unfinished, { flush: true });
  const gzip = name.endsWith(".gz") ? createGzip() : undefined;
  const sink = gzip ?? file;
  const written = gzip === undefined ? finished(file) : pipeline(gzip, file);
  // What fails is told to whoever writes next, or keeps it.
  written.catch(() => {});
  return {
    write: (bytes) => Promise.race([send(sink, bytes), written]),
    async keep() {
      sink.end();
      await written;
      renameSync(unfinished, name);
    },
    async discard() {
      sink.destroy();
      file.destroy();
      await written.catch(() => {});
      rmSync(unfinished, { force: true });
    },
  };
}

/** Standard output. What was written there stays. */
export function standardOutput(): Output {
  return { write: (bytes) => send(process.stdout, bytes), keep: async () => {}, discard: async () => {} };
}

/** Resolves once more can be written. */
function send(sink: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    sink.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
