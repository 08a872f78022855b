import * as z from "zod";
import type { Fields, Kind } from "../db/kind.ts";
import { decodeUtf8, readObject } from "../values/json.ts";
import { type FieldMessages, fieldMessages } from "../values/messages.ts";
import { withCommas } from "../values/number.ts";
import { utf8Bytes } from "../values/text.ts";
import { toJsonRow } from "./apply/statements.ts";
import { isDeletable, itemsOf, type Line, lineFieldsAndList, timeFieldOf } from "./kind.ts";

/** A line whose fields are valid: its kind, its object, and the fields of the record; of a line that deletes, of its key. */
interface ValidFields {
  kind: Kind;
  object: Readonly<Record<string, unknown>>;
  deletes: boolean;
  fields: Fields;
}

/** `unknown`: the fields that the kind does not have. */
type Checked = { line: Line; unknown: string[] } | { messages: FieldMessages };

/**
 * Checks what can be checked without the database (docs/contract/feed.md, 1 and 3). Returns the line, or its errors by
 * field; the key `""` has the errors of the line as a whole.
 */
export function checkLine({ number, text }: NumberedText, kinds: readonly Kind[]): Checked {
  const checked = checkFields(text, kinds);
  if ("messages" in checked) return checked;

  const { kind, object, deletes, fields } = checked;
  const row = deletes ? "" : toJsonRow(kind, number, fields);
  const bytes = row.length < SURELY_FITTING_LENGTH ? 0 : utf8Bytes(JSON.stringify({ record: kind.record, ...fields }));
  if (bytes > LINE_BYTES) {
    const text = `has ${withCommas(bytes)} bytes with all its defaults: at most ${withCommas(LINE_BYTES)} are taken`;
    return { messages: { "": [text] } };
  }
  const fedTime = fields[timeFieldOf(kind)];
  const time = typeof fedTime === "string" ? fedTime : null;
  const items = itemsOf(kind.list?.field, fields);
  const allValues: Fields = { ...fields, item_count: new Set(items).size };
  const values = Object.fromEntries(lineFieldsAndList(kind).map((name) => [name, allValues[name] ?? null]));
  const line = { kind, number, time, deleted: deletes, values, items: items.length, order: number, row };
  return { line, unknown: deletes ? [] : unknownFields(object, kind.fields) };
}

/** Checks the fields of a line, each by itself and against each other. Returns them with their defaults, or their errors. */
export function checkFields(text: string | null, kinds: readonly Kind[]): ValidFields | { messages: FieldMessages } {
  const object = objectOf(text);
  if (Array.isArray(object)) return { messages: { "": object } };

  const { record, deleted = false } = object;
  const kind = kinds.find((candidate) => candidate.record === record);
  if (kind === undefined)
    return { messages: { record: [`must be one of ${kinds.map((known) => known.record).join(", ")}`] } };

  if (deleted === true && !isDeletable(kind)) return { messages: { deleted: [cannotBeDeleted(kind)] } };
  const deletes = deleted === true;
  const schema = deletes ? kind.keySchema : kind.fields;
  const result = schema.safeParse(object);
  const messages = result.success ? (kind.rules?.(result.data) ?? {}) : fieldMessages(result.error);
  if (typeof deleted !== "boolean") messages.deleted = ["must be true or false"];
  else if (!isDeletable(kind) && "deleted" in object) messages.deleted = [cannotBeDeleted(kind)];
  if (!result.success || Object.keys(messages).length > 0) return { messages };
  return { kind, object, deletes, fields: result.data };
}

/** The names of fields that no record of the kind has, also inside an object: `loyalty_options.colour`. */
export function unknownFields(object: Readonly<Record<string, unknown>>, { shape }: z.ZodObject, path = ""): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (path === "" && (name === "record" || name === "deleted")) return [];
    // Credentials are known, and never stored.
    if (!Object.hasOwn(shape, name)) return path !== "" && name.startsWith("mailer_") ? [] : [`${path}${name}`];
    const inner = isObject(value) ? objectIn(shape[name]) : undefined;
    return inner === undefined ? [] : unknownFields(value as Record<string, unknown>, inner, `${path}${name}.`);
  });
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The object schema inside a schema that has a default or may be null. */
function objectIn(schema: z.core.$ZodType | undefined): z.ZodObject | undefined {
  if (schema === undefined || schema instanceof z.ZodObject) return schema;
  const { innerType, out } = schema._zod.def as { innerType?: z.core.$ZodType; out?: z.core.$ZodType };
  return objectIn(innerType ?? out);
}

function cannotBeDeleted({ type, correction }: Kind): string {
  if (type === "state") return "it cannot be deleted";
  return `an event cannot be deleted${correction === undefined ? "" : `: feed ${correction}`}`;
}

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
  const object = readObject(text);
  if (typeof object !== "string") return object;
  const isOverManyLines = text.trimStart().startsWith("[") || text.trim() === "{";
  return [isOverManyLines ? `${object}: send each object on a line of its own, without an array` : object];
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
