import * as z from "zod";
import { identityOf, itemsOf } from "../../src/feed/kind.ts";
import { objectOf, readLine } from "../../src/feed/lines.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../src/http/limits.ts";
import { KINDS } from "../../src/records/index.ts";
import { formatCount } from "./format.ts";
import type { FileLine } from "./ndjson-file.ts";
import { type Answer, isTemporary, parse, patientFetch, refusalOf } from "./patient-client.ts";
import { CommandError } from "./project.ts";

export interface Progress {
  /** The number of committed lines. */
  committed: number;
  /**
   * The number of committed lines that changed nothing: events that were stored before, and deletes of missing records.
   */
  ignored: number;
  /** The number of the last committed line in its file. */
  lastLine: number;
  /** Whether a request waits to be sent again. */
  waiting: boolean;
}

const FeedAnswer = z.object({ items: z.object({ ignored: z.number() }) });
/**
 * The service waits up to 60 seconds for a body, 30 for its turn, 40 for the database and 2 for inboxes: 132 in all.
 */
const ANSWER_WITHIN_MS = 150_000;

/**
 * Groups lines into requests within the feed's limits, in order. With `pages`, each page of an export begins a new
 * request. So does a line that deletes a record which the request writes, or writes a record which the request deletes:
 * in one request only the last line of a key counts (docs/contract/feed.md, 1), so an erasure would be lost.
 */
export async function* inBatches(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  { pages }: { pages: boolean },
): AsyncGenerator<FileLine[]> {
  let batch: FileLine[] = [];
  let bytes = 0;
  let items = 0;
  /** Whether the batch deletes a record, by the record's kind and key. */
  const deletions = new Map<string, boolean>();
  for await (const line of lines) {
    const size = line.bytes.length + 1;
    const fields = readFields(line);
    const isFull = batch.length === LINE_LIMIT || bytes + size > BODY_LIMIT.bytes || items + fields.items > ITEM_LIMIT;
    const changesDeletion = (deletions.get(fields.key) ?? fields.deleted) !== fields.deleted;
    if (batch.length > 0 && (isFull || changesDeletion || (pages && line.beginsPage))) {
      yield batch;
      batch = [];
      bytes = 0;
      items = 0;
      deletions.clear();
    }
    batch.push(line);
    bytes += size;
    items += fields.items;
    deletions.set(fields.key, fields.deleted);
  }
  if (batch.length > 0) yield batch;
}

/** The fields that decide into which request a line goes. A bad line is sent too, so that the service names its fault. */
function readFields({ number, bytes }: FileLine): { key: string; deleted: boolean; items: number } {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  const fields = Array.isArray(object) ? {} : object;
  const deleted = fields.deleted === true;
  const kind = KINDS.find(({ record }) => record === fields.record);
  if (kind === undefined) return { key: "", deleted, items: 0 };
  const key = `${kind.record} ${identityOf(kind, fields)}`;
  return { key, deleted, items: itemsOf(kind.list?.field, fields).length };
}

interface SendOptions {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  /** Whether the lines are an export, whose pages begin new requests. */
  pages?: boolean;
  /** A sentence that says how to go on after this answer. */
  goOn?: (answer: Answer, progress: Progress) => string;
}

/**
 * Sends the lines, one request after the other. A request may be sent again, because it is committed whole or not at
 * all, and a line that is sent twice counts once.
 * @throws a CommandError that names the bad lines by their numbers in the file and says where to go on.
 */
export async function sendLines(
  { url, token }: { url: string; token: string },
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  { onProgress, signal, pages = false, goOn = goOnFrom }: SendOptions = {},
): Promise<Progress> {
  const progress: Progress = { committed: 0, ignored: 0, lastLine: 0, waiting: false };
  const feed = new URL("/api/v1/feed", url);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  const ask = patientFetch(ANSWER_WITHIN_MS, signal);
  for await (const batch of inBatches(lines, { pages })) if (!(await send(batch))) break;
  return progress;

  /** Resolves with true once all lines are committed, with false if the command was stopped before. */
  async function send(batch: readonly FileLine[]): Promise<boolean> {
    if (signal?.aborted) return false;
    const newline = Buffer.from("\n");
    const body = new Uint8Array(Buffer.concat(batch.flatMap(({ bytes }) => [bytes, newline])));
    const onWait = () => {
      progress.waiting = true;
      onProgress?.(progress);
    };
    // A single line cannot be halved. So it is sent again if the database ran out of memory, perhaps through other
    // requests.
    const mayRetry = (answer: Answer) => isTemporary(answer) || (batch.length === 1 && isTemporarilyTooLarge(answer));
    const answer = await ask(feed, { method: "POST", headers, body }, { onWait, mayRetry });
    progress.waiting = false;
    if (signal?.aborted && mayRetry(answer)) return false;
    if (answer.status === 200) {
      const { data } = FeedAnswer.safeParse(parse(answer.bytes.toString()));
      if (data === undefined) throw new CommandError(`This is no feed: ${feed.href} answers with something else.`);
      progress.committed += batch.length;
      progress.ignored += data.items.ignored;
      progress.lastLine = batch.at(-1)?.number ?? progress.lastLine;
      onProgress?.(progress);
      return true;
    }
    // The request may be over a limit that only the service can check, such as the number of members of all its groups.
    // Then two halves are sent.
    if (answer.status !== 413 || batch.length === 1)
      throw new CommandError(refusal(answer, batch, progress, goOn(answer, progress)));
    const half = Math.ceil(batch.length / 2);
    return (await send(batch.slice(0, half))) && (await send(batch.slice(half)));
  }
}

/**
 * Whether a request was too large only for now. The answer to a request over a limit of the feed has no `Retry-After`.
 */
function isTemporarilyTooLarge({ status, headers }: Answer): boolean {
  return status === 413 && headers.has("Retry-After");
}

/** A text about a refused request, with the way out. */
function refusal(answer: Answer, lines: readonly FileLine[], progress: Progress, wayOn: string): string {
  const { committed, lastLine } = progress;
  const { status } = answer;
  const body = parse(answer.bytes.toString());
  const { messages, message } = (typeof body === "object" && body !== null ? body : {}) as {
    messages?: Record<string, string[]>;
    message?: string;
  };
  const throughText = committed > 0 ? `, through line ${lastLine}` : "";
  const goOnSentence = `${formatCount(committed, "line is", "lines are")} committed${throughText}. ${wayOn}`;
  if (status === 422 && messages !== undefined) {
    const badLines = Object.entries(messages).map(
      ([field, texts]) => `  ${withFileNumbers(field, lines)}: ${texts.join("; ")}`,
    );
    const isIdTaken = Object.values(messages)
      .flat()
      .some((text) => TAKEN_ID.test(text));
    const wayOut = isIdTaken ? [ABOUT_TAKEN_IDS] : [];
    return [`Bad lines: nothing of the last request was applied.`, ...badLines, ...wayOut, goOnSentence].join("\n");
  }
  if (status === 403) return `${withFileNumbers(message ?? "Refused (403).", lines)}\n${goOnSentence}`;
  return `${refusalOf(answer)}\n${goOnSentence}`;
}

const TAKEN_ID = /^is the id of another event|^is taken/;
const ABOUT_TAKEN_IDS =
  "An event never changes. If two systems use one id, begin the ids of each with a prefix of its own. If the event was wrong, " +
  "feed a second event that corrects it, under a new id.";

function goOnFrom(answer: Answer, { committed, lastLine }: Progress): string {
  if (committed > 0) return `Go on with: --from ${lastLine + 1}`;
  const isFaultOfLines = [400, 413, 422].includes(answer.status) && !isTemporarilyTooLarge(answer);
  return isFaultOfLines ? "Correct the file and send it again." : "Once that is put right, send the file again.";
}

const SHOWN_NUMBERS = 5;

/**
 * The name of a field such as `line 3.latitude`, or the sentence `Lines 3, 4 touch …`, with the first numbers of lines in
 * the file instead of those in the request.
 */
function withFileNumbers(text: string, lines: readonly FileLine[]): string {
  return text.replace(/^(lines? )(\d+(?:, \d+)*)/i, (_, noun: string, list: string) => {
    const numbers = list.split(", ").map((number) => lines[Number(number) - 1]?.number ?? number);
    const shown = numbers.length > SHOWN_NUMBERS ? [...numbers.slice(0, SHOWN_NUMBERS), "…"] : numbers;
    return noun + shown.join(", ");
  });
}
