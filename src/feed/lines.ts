import { decodeUtf8, parseObject } from "../values/json.ts";
import { addMessage, type FieldMessages, fieldMessages } from "../values/messages.ts";
import { withCommas } from "../values/number.ts";
import { utf8Bytes } from "../values/text.ts";
import { toUtc } from "../values/time.ts";
import { TOO_OLD } from "./records/faults.ts";
import type { Fields } from "./records/kind.ts";
import { isDeletable, itemsOf, type Kind, type Line, toChecked } from "./records/kind.ts";
import { toJsonRow } from "./records/statements.ts";

/** A valid line, or what is wrong with each of its fields; `""` stands for the line. */
type CheckedLine = GoodLine | { messages: FieldMessages };

export interface GoodLine {
  kind: Kind;
  line: Line;
  /** What it writes, as a JSON array; empty where it deletes. */
  row: string;
}

/**
 * Checks all of a line that can be checked without the database (docs/contract/feed.md, 1 and 3). `horizon`: events of
 * before this time are bad lines; null: none are.
 */
export function checkLine(
  { number, text }: NumberedText,
  kinds: readonly Kind[],
  horizon: string | null = null,
): CheckedLine {
  const object = objectOf(text);
  if (Array.isArray(object)) return { messages: { "": object } };

  const { record, deleted = false } = object;
  const kind = kinds.find((one) => one.record === record);
  if (kind === undefined)
    return { messages: { record: [`must be one of ${kinds.map((one) => one.record).join(", ")}`] } };

  const deletes = deleted === true && isDeletable(kind);
  const schema = deletes ? kind.keySchema : kind.fields;
  const result = schema.safeParse(object);
  const messages = result.success ? (kind.rules?.(result.data) ?? {}) : fieldMessages(result.error);
  if (typeof deleted !== "boolean") messages.deleted = ["must be true or false"];
  else if (!isDeletable(kind) && "deleted" in object) messages.deleted = [CANNOT_BE_DELETED[kind.type]];
  if (horizon !== null && !deletes && isOlder(kind, object, horizon))
    addMessage(messages, kind.timeField ?? "", TOO_OLD);
  if (!result.success || Object.keys(messages).length > 0) return { messages };

  const row = deletes ? "" : toJsonRow(kind, number, result.data);
  const bytes = exportedBytes(kind, result.data, row);
  if (bytes > LINE_BYTES) return { messages: { "": [tooLong(bytes)] } };
  const items = itemsOf(kind.list?.field, result.data).length;
  const time = timeOf(kind, result.data);
  const line = { number, time, deleted: deletes, checked: toChecked(kind, result.data), items, order: number };
  return { kind, line, row };
}

function isOlder(kind: Kind, object: Record<string, unknown>, horizon: string): boolean {
  const time = timeOf(kind, object);
  const at = time === null ? null : toUtc(time);
  return at !== null && at < horizon;
}

function timeOf({ timeField }: Kind, fields: Record<string, unknown>): string | null {
  const time = timeField === undefined ? null : fields[timeField];
  return typeof time === "string" ? time : null;
}

const CANNOT_BE_DELETED = { event: "an event cannot be deleted", state: "it cannot be deleted" };

// So a page of an export has room for any line.
const LINE_BYTES = 1024 * 1024;
// A UTF-16 unit takes at most three bytes, and the names of fields less than a quarter: a shorter row is not measured.
const SURELY_FITTING_LENGTH = LINE_BYTES / 4;

/** The bytes of the line that an export gives for these fields, or 0 where what it writes is short. */
function exportedBytes({ record, columns }: Kind, fields: Fields, row: string): number {
  if (row.length < SURELY_FITTING_LENGTH) return 0;
  const times = Object.values(columns).flatMap((source) =>
    "field" in source && source.as === "time" ? [[source.field, fields[source.field] ?? A_TIME]] : [],
  );
  return utf8Bytes(JSON.stringify({ record, ...fields, ...Object.fromEntries(times) }));
}

const A_TIME = "2026-01-01 00:00:00";

function tooLong(bytes: number): string {
  return `has ${withCommas(bytes)} bytes with all its defaults: at most ${withCommas(LINE_BYTES)} are taken`;
}

/** A line that holds something: its number, from 1, and its text, or null where the bytes are not UTF-8. */
interface NumberedText {
  number: number;
  text: string | null;
}

const NEWLINE = 0x0a;

/** The lines of a body. A blank line is left out, but counted in the numbers of those that follow. */
export function* splitLines(body: Uint8Array): Generator<NumberedText> {
  for (let start = 0, number = 1; start < body.length; number += 1) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline;
    const line = readLine(number, body.subarray(start, end));
    if (line !== null) yield line;
    start = end + 1;
  }
}

/**
 * The line that these bytes are, without a byte order mark, or null where it is blank. The service and `npm run feed`
 * both read lines here, so that the command calls nothing good that the service refuses.
 */
export function readLine(number: number, bytes: Uint8Array): NumberedText | null {
  const text = decodeUtf8(bytes);
  return text?.trim() === "" ? null : { number, text };
}

/** The object that a line holds, or what is wrong with the line. */
export function objectOf(text: string | null): Record<string, unknown> | FieldMessages[string] {
  if (text === null) return ["must be UTF-8"];
  if (holdsTooMuch(text)) return [`must hold at most ${VALUES_LIMIT} values`];
  return parseObject(text) ?? ["must be a JSON object"];
}

const VALUES_LIMIT = 100_000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const BEFORE_A_VALUE = new Set([..."[{,"].map((sign) => sign.charCodeAt(0)));

/** Whether a line has too many values to be parsed: an empty list takes two bytes of a body and thirty of memory. */
function holdsTooMuch(text: string): boolean {
  if (text.length <= VALUES_LIMIT) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length && values <= VALUES_LIMIT; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) isText = !isText;
    else if (isText && sign === BACKSLASH) at += 1;
    else if (!isText && BEFORE_A_VALUE.has(sign)) values += 1;
  }
  return values > VALUES_LIMIT;
}
