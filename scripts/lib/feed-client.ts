import * as z from "zod";
import { objectOf, readLine } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { hasKeyColumn, identityOf, itemsOf, type Kind } from "../../src/feed/records/kind.ts";
import { message } from "../../src/feed/records/message.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../src/http/limits.ts";
import { type Answer, isTemporary, PatientClient, parse, refusalOf } from "./attempts.ts";
import type { FileLine } from "./ndjson-file.ts";
import { CommandError } from "./project.ts";
import { count, counted } from "./words.ts";

/** The lines of one request, within the limits of the feed. */
export interface Batch {
  lines: readonly FileLine[];
  /** Whether the batch deletes a record, by the record's kind and key. */
  keys: ReadonlyMap<string, boolean>;
  /** The kind of all lines, if they are of one kind and their order does not matter; otherwise null. */
  unorderedKind: string | null;
}

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

export interface FeedTarget {
  url: string;
  token: string;
}

const FeedAnswer = z.object({ items: z.object({ ignored: z.number() }) });
/**
 * The service waits up to 60 seconds for a body, 30 for its turn, 40 for the database and 2 for inboxes: 132 in all.
 */
const ANSWER_WITHIN_MS = 150_000;

/** How many requests may be under way. An isolate of the service works on as many feed requests at a time. */
const REQUESTS_AT_ONCE = 4;

/**
 * Kinds whose records may be stored in any order, because no answer depends on the order and no record refers to
 * another record of its kind. A membership may refer to another, its referrer, so readFields() treats it separately.
 */
const UNORDERED = new Set(KINDS.filter((kind) => kind !== message && !hasKeyColumn(kind)).map(({ record }) => record));

/**
 * The lines in requests within the feed's limits, in order. With `pages`, each page of an export begins a new request.
 * So does a line that deletes a record which the request writes, or writes a record which the request deletes: in one
 * request only the last line of a key counts (docs/contract/feed.md, 1), so an erasure would be lost.
 */
export async function* inBatches(
  lines: AsyncIterable<FileLine> | Iterable<FileLine>,
  { pages = false }: { pages?: boolean } = {},
): AsyncGenerator<Batch> {
  let batch: FileLine[] = [];
  let bytes = 0;
  let items = 0;
  let keys = new Map<string, boolean>();
  let unorderedKinds = new Set<string | null>();
  const close = (): Batch => {
    const [kind = null] = unorderedKinds;
    const closedBatch = { lines: batch, keys, unorderedKind: unorderedKinds.size === 1 ? kind : null };
    batch = [];
    bytes = 0;
    items = 0;
    keys = new Map();
    unorderedKinds = new Set();
    return closedBatch;
  };
  for await (const line of lines) {
    const size = line.bytes.length + 1;
    const fields = readFields(line);
    const isFull = batch.length === LINE_LIMIT || bytes + size > BODY_LIMIT.bytes || items + fields.items > ITEM_LIMIT;
    const changesDeletion = (keys.get(fields.key) ?? fields.deleted) !== fields.deleted;
    if (batch.length > 0 && (isFull || changesDeletion || (pages && line.beginsPage))) yield close();
    batch.push(line);
    bytes += size;
    items += fields.items;
    keys.set(fields.key, fields.deleted);
    unorderedKinds.add(fields.unorderedKind);
  }
  if (batch.length > 0) yield close();
}

/**
 * What decides into which request a line goes. A bad line is sent too, because the service says what is wrong with it.
 */
function readFields({ number, bytes }: FileLine) {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  const fields = Array.isArray(object) ? {} : object;
  const deleted = fields.deleted === true;
  const kind = KINDS.find(({ record }) => record === fields.record);
  if (kind === undefined) return { key: "", deleted, items: 0, unorderedKind: null };
  // The order matters for members with a referrer, who must be stored before, and for records without a time, because
  // the service gives them the time of their commit.
  const isUnordered =
    UNORDERED.has(kind.record) && (fields.referrer_id ?? null) === null && (deleted || hasAllTimes(kind, fields));
  return {
    key: `${kind.record} ${identityOf(kind, fields)}`,
    deleted,
    items: itemsOf(kind.list?.field, fields).length,
    unorderedKind: isUnordered ? kind.record : null,
  };
}

/** Whether a line has all its times. The service gives a missing time the value of the time of the commit. */
function hasAllTimes({ columns }: Kind, fields: Record<string, unknown>): boolean {
  return Object.values(columns).every(
    (source) => !("field" in source && source.as === "time") || typeof fields[source.field] === "string",
  );
}

/** Whether two batches may be under way at the same time, because it does not matter which is committed first. */
function mayOverlap(first: Batch, second: Batch): boolean {
  return (
    first.unorderedKind !== null &&
    first.unorderedKind === second.unorderedKind &&
    [...first.keys.keys()].every((key) => !second.keys.has(key))
  );
}

/** A batch that is being sent. */
interface Sending {
  batch: Batch;
  /** The parts of the batch that are committed so far. */
  committed: { lines: readonly FileLine[]; ignored: number }[];
  /** Resolves with true once the whole batch is committed, with false if the command was stopped before. */
  ended: Promise<boolean>;
}

class RefusedRequest extends Error {
  readonly answer: Answer;
  readonly lines: readonly FileLine[];

  constructor(answer: Answer, lines: readonly FileLine[]) {
    super();
    this.answer = answer;
    this.lines = lines;
  }
}

/**
 * Sends the lines, up to four requests at a time if their order does not matter. A request may be sent again, because
 * it is committed whole or not at all, and a line that is sent twice counts once. Progress counts lines in the file's
 * order.
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
  const ending = new AbortController();
  const stop = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]);
  const client = new PatientClient(ANSWER_WITHIN_MS, stop);
  const underWay: Sending[] = [];
  try {
    for await (const batch of inBatches(lines, { pages })) {
      while (underWay.length === REQUESTS_AT_ONCE || !underWay.every((sending) => mayOverlap(sending.batch, batch)))
        if (!(await settleFirst())) return progress;
      if (stop.aborted) break;
      begin(batch);
    }
    while (underWay.length > 0) if (!(await settleFirst())) break;
    return progress;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    await endAll();
    const laterLines = underWay.flatMap(({ committed }) => committed).reduce((sum, part) => sum + part.lines.length, 0);
    throw new CommandError(refusal(error.answer, error.lines, { ...progress, laterLines }));
  } finally {
    await endAll();
  }

  async function endAll(): Promise<void> {
    ending.abort();
    await Promise.allSettled(underWay.map(({ ended }) => ended));
  }

  function begin(batch: Batch): void {
    const committed: Sending["committed"] = [];
    const ended = send(batch.lines, committed);
    // settleFirst() awaits it later, and reports a failure then.
    ended.catch(() => {});
    underWay.push({ batch, committed, ended });
  }

  /** Waits for the oldest request. Resolves with false if the command was stopped. */
  async function settleFirst(): Promise<boolean> {
    const first = underWay.shift();
    try {
      return (await first?.ended) ?? false;
    } finally {
      for (const { lines: part, ignored } of first?.committed ?? []) {
        progress.committed += part.length;
        progress.ignored += ignored;
        progress.lastLine = part.at(-1)?.number ?? progress.lastLine;
      }
      onProgress?.(progress);
    }
  }

  /** Resolves with true once all lines are committed, with false if the command was stopped before. */
  async function send(part: readonly FileLine[], committed: Sending["committed"]): Promise<boolean> {
    if (stop.aborted) return false;
    const newline = Buffer.from("\n");
    const body = new Uint8Array(Buffer.concat(part.flatMap(({ bytes }) => [bytes, newline])));
    const onWait = () => {
      progress.waiting = true;
      onProgress?.(progress);
    };
    // A single line cannot be halved. So it is sent again if the database ran out of memory, perhaps through other
    // requests.
    const mayRetry = (answer: Answer) => isTemporary(answer) || (part.length === 1 && isTemporarilyTooLarge(answer));
    const answer = await client.ask(feed, { method: "POST", headers, body }, { onWait, mayRetry });
    progress.waiting = false;
    if (stop.aborted && mayRetry(answer)) return false;
    if (answer.status === 200) {
      const { data } = FeedAnswer.safeParse(parse(answer.bytes.toString()));
      if (data === undefined) throw new CommandError(`This is no feed: ${feed.href} answers with something else.`);
      committed.push({ lines: part, ignored: data.items.ignored });
      return true;
    }
    // The request may be over a limit that only the service can check, such as the number of members of all its groups.
    // Then two halves are sent.
    if (answer.status !== 413 || part.length === 1) throw new RefusedRequest(answer, part);
    const half = Math.ceil(part.length / 2);
    return (await send(part.slice(0, half), committed)) && (await send(part.slice(half), committed));
  }
}

/**
 * Whether a request was too large only for now. The answer to a request over a limit of the feed has no `Retry-After`.
 */
function isTemporarilyTooLarge({ status, headers }: Answer): boolean {
  return status === 413 && headers.has("Retry-After");
}

function refusal(
  answer: Answer,
  lines: readonly FileLine[],
  { committed, lastLine, laterLines }: Progress & { laterLines: number },
): string {
  const { status } = answer;
  const body = parse(answer.bytes.toString());
  const { messages, message } = (typeof body === "object" && body !== null ? body : {}) as {
    messages?: Record<string, string[]>;
    message?: string;
  };
  const through = committed > 0 ? `, through line ${lastLine}` : "";
  const andLater = laterLines > 0 ? `, and ${count(laterLines)} after the refused ones` : "";
  const goOnSentence = `${counted(committed, "line is", "lines are")} committed${through}${andLater}. ${goOnFrom(answer, { committed, lastLine })}`;
  if (status === 422 && messages !== undefined) {
    const badLines = Object.entries(messages).map(
      ([field, texts]) => `  ${withFileNumber(field, lines)}: ${texts.join("; ")}`,
    );
    return [`Bad lines: nothing of the last request was applied.`, ...badLines, goOnSentence].join("\n");
  }
  if (status === 401) return `The token is not good for this service (401). ${message ?? ""}\n${goOnSentence}`;
  if (status === 403) return `${withFileNumbers(message ?? "Refused (403).", lines)}\n${goOnSentence}`;
  if (status === 507) return `The database is full (507). ${message ?? ""}\n${goOnSentence}`;
  return `${refusalOf(answer)}\n${goOnSentence}`;
}

function goOnFrom(answer: Answer, { committed, lastLine }: Pick<Progress, "committed" | "lastLine">): string {
  if (committed > 0) return `Go on with: --from ${lastLine + 1}`;
  const isFaultOfLines = [400, 413, 422].includes(answer.status) && !isTemporarilyTooLarge(answer);
  return isFaultOfLines ? "Correct the file and send it again." : "Once that is put right, send the file again.";
}

/** The name of a field such as `line 3.latitude`, with the line's number in the file instead of that in the request. */
function withFileNumber(field: string, lines: readonly FileLine[]): string {
  return field.replace(/^line (\d+)/, (_, number) => `line ${lines[Number(number) - 1]?.number ?? number}`);
}

/** The feed's sentence `Lines 3, 4 touch …`, with numbers in the file instead of those in the request. */
function withFileNumbers(sentence: string, lines: readonly FileLine[]): string {
  return sentence.replace(/^Lines? [\d, ]+ touch/, (beginning) =>
    beginning.replace(/\d+/g, (number) => String(lines[Number(number) - 1]?.number ?? number)),
  );
}
