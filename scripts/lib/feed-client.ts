import * as z from "zod";
import { objectOf, readLine } from "../../src/feed/ndjson.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { identityOf } from "../../src/feed/records/kind.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../src/http/limits.ts";
import { type Answer, PatientClient, parse } from "./attempts.ts";
import type { FileLine } from "./ndjson-file.ts";
import { CommandError } from "./project.ts";

/** Lines that are sent in one request, within the limits of the feed. */
export interface Batch {
  lines: readonly FileLine[];
}

export interface Progress {
  /** Lines that are committed. */
  committed: number;
  /** Of these, the lines that there was nothing to do for. */
  ignored: number;
  /** The number of the last committed line in its file. */
  lastLine: number;
  /** Whether the service could not take the last request, which is to be tried again. */
  waiting: boolean;
}

export interface FeedTarget {
  url: string;
  token: string;
}

const Taken = z.object({ items: z.object({ ignored: z.number() }) });
/** The service takes 40 seconds at most, 8 MiB a minute on a slow line. */
const ANSWER_WITHIN_MS = 120_000;

/**
 * The lines in requests within the feed's limits, in order; with `pages`, a page of an export begins a request. A line
 * that deletes what a line before it writes, or writes what one deletes, begins a request too: of one request only the
 * last line of a key counts (docs/contract/feed.md, 1), so a file's erasure would be lost.
 */
export async function* inBatches(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  { pages = false }: { pages?: boolean } = {},
): AsyncGenerator<Batch> {
  let batch: FileLine[] = [];
  let [bytes, items] = [0, 0];
  let keys = new DeletedKeys();
  for await (const line of lines) {
    const size = line.bytes.length + 1;
    const listed = itemsOf(line);
    const isFull = batch.length === LINE_LIMIT || bytes + size > BODY_LIMIT.bytes || items + listed > ITEM_LIMIT;
    if (isFull || (pages && line.beginsPage) || keys.isTurned(line, batch)) {
      if (batch.length > 0) yield { lines: batch };
      batch = [];
      [bytes, items] = [0, 0];
      keys = new DeletedKeys();
    }
    batch.push(line);
    bytes += size;
    items += listed;
  }
  if (batch.length > 0) yield { lines: batch };
}

/** Which keys a batch deletes and which it writes. Of one that deletes nothing, as most do, no line is parsed. */
class DeletedKeys {
  #deleted: Map<string, boolean> | undefined;

  /** Whether a line deletes what the batch writes, or writes what the batch deletes. If not, it belongs to the batch. */
  isTurned(line: FileLine, batch: readonly FileLine[]): boolean {
    const deletes = [...batch.slice(-1), line].some(({ bytes }) => bytes.includes('"deleted"'));
    if (deletes) this.#deleted ??= new Map(batch.map(keyOf));
    if (this.#deleted === undefined) return false;
    const [key, deleted] = keyOf(line);
    if ((this.#deleted.get(key) ?? deleted) !== deleted) return true;
    this.#deleted.set(key, deleted);
    return false;
  }
}

/** A line's kind and key, and whether it deletes. A bad line, which the service names, has a key like any other. */
function keyOf(line: FileLine): [key: string, deleted: boolean] {
  const fields = fieldsOf(line);
  const kind = KINDS.find(({ record }) => record === fields.record);
  return [kind === undefined ? "" : `${kind.record} ${identityOf(kind, fields)}`, fields.deleted === true];
}

const LISTS = KINDS.flatMap(({ list }) => (list === undefined ? [] : [list.field]));

/** How many items of lists a line has. */
function itemsOf(line: FileLine): number {
  if (!LISTS.some((field) => line.bytes.includes(`"${field}"`))) return 0;
  const fields = fieldsOf(line);
  return LISTS.map((field) => fields[field]).reduce<number>(
    (sum, list) => sum + (Array.isArray(list) ? list.length : 0),
    0,
  );
}

/** The fields of a line, as the service reads it; of a bad one, which the service names, none. */
function fieldsOf({ number, bytes }: FileLine): Record<string, unknown> {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  return Array.isArray(object) ? {} : object;
}

/** Both halves of a batch that is too large; null where it cannot be cut. */
function cut({ lines }: Batch): Batch[] | null {
  const half = Math.ceil(lines.length / 2);
  return lines.length < 2 ? null : [{ lines: lines.slice(0, half) }, { lines: lines.slice(half) }];
}

/**
 * Sends the lines in order, one request after the other, while the next one is read. What may be retried is: a request
 * is all or nothing, and a line sent twice counts once.
 * @throws a CommandError that names the bad lines by their numbers in the file and says where to go on.
 */
export async function sendLines(
  { url, token }: FeedTarget,
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  {
    onProgress,
    signal,
    pages = false,
  }: { onProgress?: (progress: Progress) => void; signal?: AbortSignal; pages?: boolean } = {},
): Promise<Progress> {
  const progress: Progress = { committed: 0, ignored: 0, lastLine: 0, waiting: false };
  const feed = new URL("/api/v1/feed", url);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  const client = new PatientClient(ANSWER_WITHIN_MS, signal);
  const batches = inBatches(lines, { pages });
  let next = batches.next();
  for (;;) {
    const { done, value: batch } = await next;
    if (done || signal?.aborted) return progress;
    next = batches.next();
    // Reading may fail while this request is under way; it is awaited, and reported, in its turn.
    next.catch(() => {});
    const parts = [batch];
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const taken = signal?.aborted ? null : await sendBatch(part);
      if (taken === null) return progress;
      if ("parts" in taken) {
        parts.unshift(...taken.parts);
        continue;
      }
      progress.committed += part.lines.length;
      progress.ignored += taken.ignored;
      progress.lastLine = part.lines.at(-1)?.number ?? progress.lastLine;
      onProgress?.(progress);
    }
  }

  /** What the feed says of a batch, its parts where it is too large, or null when it was told to stop before. */
  async function sendBatch(batch: Batch): Promise<{ ignored: number } | { parts: Batch[] } | null> {
    const newline = Buffer.from("\n");
    const body = new Uint8Array(Buffer.concat(batch.lines.flatMap(({ bytes }) => [bytes, newline])));
    const answer = await client.ask(feed, { method: "POST", headers, body }, () => {
      progress.waiting = true;
      onProgress?.(progress);
    });
    if (answer === null) return null;
    progress.waiting = false;
    if (answer.status === 200) {
      const { data } = Taken.safeParse(parse(answer.bytes.toString()));
      if (data === undefined) throw new CommandError(`This is no feed: ${feed.href} answers with something else.`);
      return data.items;
    }
    // Some limits, such as the memory that texts take on their way, only the service can tell.
    const parts = answer.status === 413 ? cut(batch) : null;
    if (parts === null) throw new CommandError(refusal(answer, batch, progress));
    return { parts };
  }
}

function refusal({ status, bytes }: Answer, batch: Batch, { committed, lastLine }: Progress): string {
  const body = status === 0 ? bytes.toString() : parse(bytes.toString());
  const { messages, message } = (typeof body === "object" && body !== null ? body : {}) as {
    messages?: Record<string, string[]>;
    message?: string;
  };
  const goOn = `${committed.toLocaleString("en")} lines are committed${committed > 0 ? `, through line ${lastLine}` : ""}. ${goOnFrom(lastLine, { committed, status })}`;
  if (status === 422 && messages !== undefined) {
    const bad = Object.entries(messages).map(([field, texts]) => `  ${inFile(field, batch)}: ${texts.join("; ")}`);
    return [`Bad lines: nothing of the last request was applied.`, ...bad, goOn].join("\n");
  }
  if (status === 401) return `The token is not good for this service (401). ${message ?? ""}\n${goOn}`;
  if (status === 403) return `${inFileText(message ?? "Refused (403).", batch)}\n${goOn}`;
  if (status === 507) return `The database is full (507). ${message ?? ""}\n${goOn}`;
  if (status === 0) return `The service cannot be reached (${body}). Is it running, and is --url right?\n${goOn}`;
  return `The service answered ${status}${message === undefined ? "" : `: ${message}`}\n${goOn}`;
}

function goOnFrom(lastLine: number, { committed, status }: { committed: number; status: number }): string {
  if (committed > 0) return `Go on with: --from ${lastLine + 1}`;
  const isFaultOfLines = [400, 413, 422].includes(status);
  return isFaultOfLines ? "Correct the file and send it again." : "Once that is put right, send the file again.";
}

/** `line 3.latitude` of a request, with the line's number in the file. */
function inFile(field: string, { lines }: Batch): string {
  return field.replace(/^line (\d+)/, (_, number) => `line ${lines[Number(number) - 1]?.number ?? number}`);
}

/** What the feed says of lines of a request, with their numbers in the file; any other sentence stays as it is. */
function inFileText(sentence: string, { lines }: Batch): string {
  return sentence.replace(/^Lines? [\d, ]+ touch/, (named) =>
    named.replace(/\d+/g, (number) => String(lines[Number(number) - 1]?.number ?? number)),
  );
}
