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

const NEWLINE = 0x0a;
// A line with its newline must fit into one request.
const LONGEST_LINE_BYTES = BODY_LIMIT.bytes - 1;

/**
 * Reads every line of a file that is not blank. The file is compressed if its name ends with `.gz`; `-` is standard
 * input. Only a chunk of the file is in memory at a time.
 */
export function readNdjson(file: string): AsyncGenerator<FileLine> {
  if (file === "-") return splitLines(process.stdin);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`There is no file ${file}.`);
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder; name a file of one JSON object a line.`);
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  return splitLines(file.endsWith(".gz") ? unzipped(source) : source);
}

async function* unzipped(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(source, createGunzip({ chunkSize: 256 * 1024 }), () => {});
  } catch (error) {
    throw new CommandError(`The file is not whole gzip data: ${error instanceof Error ? error.message : error}.`);
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let beginsPage = true;
  for await (const { number, bytes } of linesIn(chunks)) {
    const isBlank = readLine(number, bytes) === null;
    if (!isBlank) yield { number, bytes, beginsPage };
    beginsPage = isBlank;
  }
}

/**
 * Every line, also blank ones. Only a line feed ends a line. Node's `readline` also ends lines at U+2028 and U+2029, which
 * stand in texts as they are.
 */
export async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Pick<FileLine, "number" | "bytes">> {
  let unfinishedLine: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      number += 1;
      const piece = chunk.subarray(start, end);
      const bytes = unfinishedLine.length === 0 ? piece : Buffer.concat([unfinishedLine, piece]);
      unfinishedLine = Buffer.alloc(0);
      start = end + 1;
      refuseLong(number, bytes);
      yield { number, bytes };
    }
    unfinishedLine = Buffer.concat([unfinishedLine, chunk.subarray(start)]);
    refuseLong(number + 1, unfinishedLine);
  }
  if (unfinishedLine.length > 0) yield { number: number + 1, bytes: unfinishedLine };
}

function refuseLong(number: number, bytes: Buffer): void {
  if (bytes.length > LONGEST_LINE_BYTES)
    throw new CommandError(
      `Line ${number} is longer than ${BODY_LIMIT.name}: is this a file of one JSON object a line?`,
    );
}
