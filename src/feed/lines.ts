import type { Fields, Kind } from "../db/kind.ts";
import { decodeUtf8, parseObject } from "../values/json.ts";
import { type FieldMessages, fieldMessages } from "../values/messages.ts";
import { withCommas } from "../values/number.ts";
import { utf8Bytes } from "../values/text.ts";
import { toJsonRow } from "./apply/statements.ts";
import { isDeletable, itemsOf, type Line, lineFieldsAndList } from "./kind.ts";

type Checked = { line: Line } | { messages: FieldMessages };

/**
 * Checks what can be checked without the database (docs/contract/feed.md, 1 and 3). Returns the line, or its errors by
 * field; the key `""` has the errors of the line as a whole.
 */
export function checkLine({ number, text }: NumberedText, kinds: readonly Kind[]): Checked {
  const object = objectOf(text);
  if (Array.isArray(object)) return { messages: { "": object } };

  const { record, deleted = false } = object;
  const kind = kinds.find((candidate) => candidate.record === record);
  if (kind === undefined)
    return { messages: { record: [`must be one of ${kinds.map((known) => known.record).join(", ")}`] } };

  const deletes = deleted === true && isDeletable(kind);
  const schema = deletes ? kind.keySchema : kind.fields;
  const result = schema.safeParse(object);
  const messages = result.success ? (kind.rules?.(result.data) ?? {}) : fieldMessages(result.error);
  if (typeof deleted !== "boolean") messages.deleted = ["must be true or false"];
  else if (!isDeletable(kind) && "deleted" in object) messages.deleted = [CANNOT_BE_DELETED[kind.type]];
  if (!result.success || Object.keys(messages).length > 0) return { messages };

  const row = deletes ? "" : toJsonRow(kind, number, result.data);
  const bytes = row.length < SURELY_FITTING_LENGTH ? 0 : utf8Bytes(JSON.stringify({ record, ...result.data }));
  if (bytes > LINE_BYTES) {
    const text = `has ${withCommas(bytes)} bytes with all its defaults: at most ${withCommas(LINE_BYTES)} are taken`;
    return { messages: { "": [text] } };
  }
  const fedTime = kind.time === undefined ? null : result.data[kind.time];
  const time = typeof fedTime === "string" ? fedTime : null;
  const items = itemsOf(kind.list?.field, result.data);
  const allValues: Fields = { ...result.data, item_count: new Set(items).size };
  const values = Object.fromEntries(lineFieldsAndList(kind).map((name) => [name, allValues[name] ?? null]));
  return { line: { kind, number, time, deleted: deletes, values, items: items.length, order: number, row } };
}

const CANNOT_BE_DELETED = { event: "an event cannot be deleted", state: "it cannot be deleted" };

// The most bytes of a line with all its defaults. An export writes the defaults, and a page of it must have room for any line.
// A time that is left out is not measured: no line of a kind with such a field is nearly this long.
const LINE_BYTES = 1024 * 1024;
// A row with fewer UTF-16 units surely fits, so it is not measured: a unit takes at most three bytes, and the names of the
// fields take less than a quarter of the line.
const SURELY_FITTING_LENGTH = LINE_BYTES / 4;

interface NumberedText {
  /** From 1. */
  number: number;
  /** Null: the bytes of the line are not UTF-8. */
  text: string | null;
}

const NEWLINE = 0x0a;

/** The lines of a body. Blank lines are left out, but they count in the numbers. */
export function* splitLines(body: Uint8Array): Generator<NumberedText> {
  for (let start = 0, number = 1; start < body.length; number += 1) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline;
    const line = readLine(number, body.subarray(start, end));
    if (line !== null) yield line;
    start = end + 1;
  }
}

/** A line without its byte order mark; null if it is blank. `npm run feed` reads lines in the same way. */
export function readLine(number: number, bytes: Uint8Array): NumberedText | null {
  const text = decodeUtf8(bytes);
  return text?.trim() === "" ? null : { number, text };
}

/** The object of a line, or the errors of the line. */
export function objectOf(text: string | null): Record<string, unknown> | FieldMessages[string] {
  if (text === null) return ["must be UTF-8"];
  if (text.length > VALUES_LIMIT && hasTooManyValues(text)) return [`must hold at most ${VALUES_LIMIT} values`];
  return parseObject(text) ?? ["must be a JSON object"];
}

const VALUES_LIMIT = 100_000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const BEFORE_A_VALUE = new Set([..."[{,"].map((character) => character.charCodeAt(0)));

/** Whether a line has too many values to be parsed: an empty list takes two bytes of a body and thirty of memory. */
function hasTooManyValues(text: string): boolean {
  let values = 0;
  let isInString = false;
  for (let index = 0; index < text.length && values <= VALUES_LIMIT; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString && code === BACKSLASH) index += 1;
    else if (!isInString && BEFORE_A_VALUE.has(code)) values += 1;
  }
  return values > VALUES_LIMIT;
}
