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

/** Lines that are sent in one request, within the limits of the feed. */
export interface Batch {
  lines: readonly FileLine[];
  /** The keys of its records, and whether it deletes them. */
  keys: ReadonlyMap<string, boolean>;
  /** The one kind of its lines, if it may be sent at the same time as others of this kind; else null. */
  unordered: string | null;
}

export interface Progress {
  /** Lines that are committed. */
  committed: number;
  /** Committed events that were stored already, and deletes of records that were not there. */
  ignored: number;
  /** The number of the last committed line in its file. */
  lastLine: number;
  /** Whether the command waits to send the last request again. */
  waiting: boolean;
}

export interface FeedTarget {
  url: string;
  token: string;
}

const FeedAnswer = z.object({ items: z.object({ ignored: z.number() }) });
/** The service waits for a body for 60 seconds, for its turn 30, for the database 40, and for inboxes 2. */
const ANSWER_WITHIN_MS = 150_000;

/** How many requests are under way at most: as many as an isolate works on at a time. */
const AT_ONCE = 4;

/**
 * Kinds whose records may be stored in any order: no answer depends on the order, and no record refers to another of its
 * kind. Only a membership refers to its referrer's.
 */
const UNORDERED = new Set(KINDS.filter((kind) => kind !== message && !hasKeyColumn(kind)).map(({ record }) => record));

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
  let keys = new Map<string, boolean>();
  let kinds = new Set<string | null>();
  const close = (): Batch => {
    const [unordered = null] = kinds;
    const closed = { lines: batch, keys, unordered: kinds.size === 1 ? unordered : null };
    batch = [];
    [bytes, items] = [0, 0];
    keys = new Map();
    kinds = new Set();
    return closed;
  };
  for await (const line of lines) {
    const size = line.bytes.length + 1;
    const read = readFields(line);
    const isFull = batch.length === LINE_LIMIT || bytes + size > BODY_LIMIT.bytes || items + read.items > ITEM_LIMIT;
    const isTurned = (keys.get(read.key) ?? read.deleted) !== read.deleted;
    if (batch.length > 0 && (isFull || isTurned || (pages && line.beginsPage))) yield close();
    batch.push(line);
    bytes += size;
    items += read.items;
    keys.set(read.key, read.deleted);
    kinds.add(read.unordered);
  }
  if (batch.length > 0) yield close();
}

const KIND_OF = new Map(KINDS.map((kind) => [kind.record, { kind, times: timesOf(kind) }]));

/** The fields with times that are now if they are left out. */
function timesOf({ columns }: Kind): string[] {
  return Object.values(columns).flatMap((source) => ("field" in source && source.as === "time" ? [source.field] : []));
}

/** The fields of a line that decide into which request it goes. A bad line is sent too: the service names it. */
function readFields({ number, bytes }: FileLine) {
  const object = objectOf(readLine(number, bytes)?.text ?? null);
  const fields = Array.isArray(object) ? {} : object;
  const deleted = fields.deleted === true;
  const found = KIND_OF.get(String(fields.record));
  if (found === undefined) return { key: "", deleted, items: 0, unordered: null };
  const { kind, times } = found;
  // A referrer comes before the members that they referred. Records without a time get one in the order of the file.
  const isUnordered =
    UNORDERED.has(kind.record) &&
    (fields.referrer_id ?? null) === null &&
    (deleted || times.every((name) => typeof fields[name] === "string"));
  return {
    key: `${kind.record} ${identityOf(kind, fields)}`,
    deleted,
    items: itemsOf(kind.list?.field, fields).length,
    unordered: isUnordered ? kind.record : null,
  };
}

/** Whether the outcome is the same in whatever order the two are committed. */
function commute(one: Batch, other: Batch): boolean {
  return (
    one.unordered !== null &&
    one.unordered === other.unordered &&
    [...one.keys.keys()].every((key) => !other.keys.has(key))
  );
}

/** The two halves of lines that are too large for a request; null for a single line. */
function cut(lines: readonly FileLine[]): (readonly FileLine[])[] | null {
  const half = Math.ceil(lines.length / 2);
  return lines.length < 2 ? null : [lines.slice(0, half), lines.slice(half)];
}

/** A batch that is being sent. */
interface Sending {
  batch: Batch;
  /** The parts that are committed so far. */
  committed: { lines: readonly FileLine[]; ignored: number }[];
  /** Resolves with whether all of the batch is committed: false if the command was stopped before. */
  ended: Promise<boolean>;
}

/** The feed's refusal of some lines. */
class Refused extends Error {
  readonly answer: Answer;
  readonly lines: readonly FileLine[];

  constructor(answer: Answer, lines: readonly FileLine[]) {
    super();
    this.answer = answer;
    this.lines = lines;
  }
}

/**
 * Sends the lines, up to four requests at a time where the outcome is that of one after the other. What may be retried
 * is: a request is all or nothing, and a line sent twice counts once. What is committed is counted in the file's order.
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
      while (underWay.length === AT_ONCE || !underWay.every((one) => commute(one.batch, batch)))
        if (!(await settleFirst())) return progress;
      if (stop.aborted) break;
      begin(batch);
    }
    while (underWay.length > 0) if (!(await settleFirst())) break;
    return progress;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await endAll();
    const later = underWay.flatMap(({ committed }) => committed).reduce((sum, part) => sum + part.lines.length, 0);
    throw new CommandError(refusal(error.answer, error.lines, { ...progress, later }));
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
    // It is awaited, and what failed reported, in its turn.
    ended.catch(() => {});
    underWay.push({ batch, committed, ended });
  }

  /** Waits for the oldest request. Resolves with whether to go on. */
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

  /** Resolves with whether all of the lines are committed: false if the command was stopped before. */
  async function send(part: readonly FileLine[], committed: Sending["committed"]): Promise<boolean> {
    if (stop.aborted) return false;
    const newline = Buffer.from("\n");
    const body = new Uint8Array(Buffer.concat(part.flatMap(({ bytes }) => [bytes, newline])));
    const onWait = () => {
      progress.waiting = true;
      onProgress?.(progress);
    };
    // A line that cannot be cut is sent again where another request may have used up the database's memory.
    const mayRetry = (one: Answer) => isTemporary(one) || (part.length === 1 && isTemporarilyTooLarge(one));
    const answer = await client.ask(feed, { method: "POST", headers, body }, { onWait, mayRetry });
    progress.waiting = false;
    if (stop.aborted && mayRetry(answer)) return false;
    if (answer.status === 200) {
      const { data } = FeedAnswer.safeParse(parse(answer.bytes.toString()));
      if (data === undefined) throw new CommandError(`This is no feed: ${feed.href} answers with something else.`);
      committed.push({ lines: part, ignored: data.items.ignored });
      return true;
    }
    // Some limits, such as how many members the groups of messages have, only the service can tell.
    const halves = answer.status === 413 ? cut(part) : null;
    if (halves === null) throw new Refused(answer, part);
    for (const half of halves) if (!(await send(half, committed))) return false;
    return true;
  }
}

/** A request over a limit of the feed has no `Retry-After`. */
function isTemporarilyTooLarge({ status, headers }: Answer): boolean {
  return status === 413 && headers.has("Retry-After");
}

function refusal(
  answer: Answer,
  lines: readonly FileLine[],
  { committed, lastLine, later }: Progress & { later: number },
): string {
  const { status } = answer;
  const body = parse(answer.bytes.toString());
  const { messages, message } = (typeof body === "object" && body !== null ? body : {}) as {
    messages?: Record<string, string[]>;
    message?: string;
  };
  const through = committed > 0 ? `, through line ${lastLine}` : "";
  const andLater = later > 0 ? `, and ${count(later)} after the refused ones` : "";
  const goOn = `${counted(committed, "line is", "lines are")} committed${through}${andLater}. ${goOnFrom(answer, { committed, lastLine })}`;
  if (status === 422 && messages !== undefined) {
    const bad = Object.entries(messages).map(([field, texts]) => `  ${inFile(field, lines)}: ${texts.join("; ")}`);
    return [`Bad lines: nothing of the last request was applied.`, ...bad, goOn].join("\n");
  }
  if (status === 401) return `The token is not good for this service (401). ${message ?? ""}\n${goOn}`;
  if (status === 403) return `${inFileText(message ?? "Refused (403).", lines)}\n${goOn}`;
  if (status === 507) return `The database is full (507). ${message ?? ""}\n${goOn}`;
  return `${refusalOf(answer)}\n${goOn}`;
}

function goOnFrom(answer: Answer, { committed, lastLine }: Pick<Progress, "committed" | "lastLine">): string {
  if (committed > 0) return `Go on with: --from ${lastLine + 1}`;
  const isFaultOfLines = [400, 413, 422].includes(answer.status) && !isTemporarilyTooLarge(answer);
  return isFaultOfLines ? "Correct the file and send it again." : "Once that is put right, send the file again.";
}

/** `line 3.latitude` of a request, with the line's number in the file. */
function inFile(field: string, lines: readonly FileLine[]): string {
  return field.replace(/^line (\d+)/, (_, number) => `line ${lines[Number(number) - 1]?.number ?? number}`);
}

/** What the feed says of lines of a request, with their numbers in the file; any other sentence stays as it is. */
function inFileText(sentence: string, lines: readonly FileLine[]): string {
  return sentence.replace(/^Lines? [\d, ]+ touch/, (named) =>
    named.replace(/\d+/g, (number) => String(lines[Number(number) - 1]?.number ?? number)),
  );
}
