import type { Database } from "../db/database.ts";
import { forbidden, invalid, payloadTooLarge } from "../http/errors.ts";
import { addMessage, type FieldMessages } from "../values/messages.ts";
import { countingLines } from "./counting-lines.ts";
import { type CheckedLine, checkLine } from "./lines.ts";
import { splitLines } from "./ndjson.ts";
import { applyFeed, type Batch, type FeedRequest, NAMED_LINES } from "./queries.ts";
import { KINDS } from "./records/index.ts";
import type { Line } from "./records/kind.ts";

/** What a feed request has come to: lines that were taken, and lines that there was nothing to do for. */
export interface Accepted {
  accepted: number;
  ignored: number;
}

type GoodLine = Extract<CheckedLine, { line: Line }>;

export const LINE_LIMIT = 5_000;

/**
 * Takes a request whole or refuses it whole (feed.md, section 1).
 * @throws the failures 413 for too many lines, 422 for bad lines, 403 for lines that touch another account.
 */
export async function acceptFeed(
  db: Database,
  { body, accounts }: { body: Uint8Array; accounts: FeedRequest["accounts"] },
): Promise<{ items: Accepted; batches: readonly Batch[] }> {
  const texts = splitLines(body, LINE_LIMIT + 1);
  if (texts.length > LINE_LIMIT) throw payloadTooLarge(`A request of at most ${LINE_LIMIT} lines is taken here.`);

  const lines = goodLines(texts.map((text) => ({ number: text.number, ...checkLine(text) })));
  if (accounts !== "*") refuseGlobal(lines);

  const batches = toBatches(lines);
  const outcome = await applyFeed(db, { batches, accounts });
  if (outcome.applied) {
    const { ignored } = outcome;
    return { items: { accepted: texts.length - ignored, ignored }, batches };
  }
  if ("foreign" in outcome) throw foreignLines(outcome.foreign);
  throw invalid(faultMessages(outcome.faults));
}

/** @throws the failure 422 that names the bad fields of the first hundred bad lines. */
function goodLines(lines: readonly (CheckedLine & { number: number })[]): GoodLine[] {
  const good = lines.filter((line) => "line" in line);
  if (good.length === lines.length) return good;
  const messages: FieldMessages = {};
  for (const line of lines.filter((line) => "messages" in line).slice(0, NAMED_LINES)) {
    for (const [field, texts] of Object.entries(line.messages)) messages[lineField(line.number, field)] = texts;
  }
  throw invalid(messages);
}

function faultMessages(faults: readonly { line: number; field: string; text: string }[]): FieldMessages {
  const messages: FieldMessages = {};
  for (const { line, field, text } of faults) addMessage(messages, lineField(line, field), text);
  return messages;
}

function lineField(line: number, field: string): string {
  return field === "" ? `line ${line}` : `line ${line}.${field}`;
}

function refuseGlobal(lines: readonly GoodLine[]): void {
  const global = lines.filter(({ kind }) => kind.global).map(({ line }) => line.number);
  if (global.length > 0) throw foreignLines(global.slice(0, NAMED_LINES));
}

function foreignLines(lines: readonly number[]) {
  const which = lines.length === 1 ? `Line ${lines[0]} touches` : `Lines ${lines.join(", ")} touch`;
  return forbidden(`${which} an account that the token does not cover.`);
}

/** The lines by kind, in the order in which kinds refer to each other. */
function toBatches(lines: readonly GoodLine[]): Batch[] {
  return KINDS.flatMap((kind) => {
    const all = lines.filter((line) => line.kind === kind).map(({ line }) => line);
    return all.length === 0 ? [] : [{ kind, all, ...countingLines(kind, all) }];
  });
}
