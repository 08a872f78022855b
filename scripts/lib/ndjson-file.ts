import { createReadStream, statSync } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { readLine } from "../../src/feed/lines.ts";
import { BODY_LIMIT } from "../../src/http/limits.ts";
import { CommandError } from "./project.ts";

export interface FileLine {
  /** The number of the line, from 1. */
  number: number;
  /** The bytes of the line, without its newline. */
  bytes: Buffer;
  /** Whether a page of an export may begin here: at the first line, and after a blank line. */
  beginsPage?: boolean;
}

export interface NdjsonFile {
  /** The size of the file in bytes; null for a pipe. */
  size: number | null;
  /** How many bytes of the file are read so far. */
  position: () => number;
  /** Every line that is not blank. Only a chunk of the file is in memory at a time. */
  lines: AsyncGenerator<FileLine>;
}

const NEWLINE = 0x0a;
// A line with its newline must fit into one request.
const LONGEST_LINE_BYTES = BODY_LIMIT.bytes - 1;

/** Opens a file of one JSON object a line, which is compressed if its name ends with `.gz`; `-` is standard input. */
export function openNdjson(file: string): NdjsonFile {
  if (file === "-") return { size: null, position: () => 0, lines: splitLines(process.stdin) };
  const size = sizeOf(file);
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  const lines = splitLines(file.endsWith(".gz") ? unzipped(source) : source);
  return { size, position: () => source.bytesRead, lines };
}

function sizeOf(file: string): number | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`There is no file ${file}.`);
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder; name a file of one JSON object a line.`);
  return stats.isFile() ? stats.size : null;
}

async function* unzipped(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(source, createGunzip({ chunkSize: 256 * 1024 }), () => {});
  } catch (error) {
    throw new CommandError(`The file is not whole gzip data: ${error instanceof Error ? error.message : error}.`);
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let unfinishedLine: Buffer = Buffer.alloc(0);
  let number = 0;
  let beginsPage = true;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      number += 1;
      const piece = chunk.subarray(start, end);
      const bytes = unfinishedLine.length === 0 ? piece : Buffer.concat([unfinishedLine, piece]);
      unfinishedLine = Buffer.alloc(0);
      start = end + 1;
      refuseLong(number, bytes);
      const isBlank = readLine(number, bytes) === null;
      if (!isBlank) yield { number, bytes, beginsPage };
      beginsPage = isBlank;
    }
    unfinishedLine = Buffer.concat([unfinishedLine, chunk.subarray(start)]);
    refuseLong(number + 1, unfinishedLine);
  }
  if (readLine(number + 1, unfinishedLine) !== null) yield { number: number + 1, bytes: unfinishedLine, beginsPage };
}

function refuseLong(number: number, bytes: Buffer): void {
  if (bytes.length > LONGEST_LINE_BYTES)
    throw new CommandError(
      `Line ${number} is longer than ${BODY_LIMIT.name}: is this a file of one JSON object a line?`,
    );
}
