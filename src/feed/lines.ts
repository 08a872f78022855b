import { jsonBytes, LARGEST_ROW_BYTES } from "../db/json-rows.ts";
import { type FieldMessages, fieldMessages } from "../values/messages.ts";
import { type NumberedText, objectOf } from "./ndjson.ts";
import { KINDS } from "./records/index.ts";
import { columnsOf, type Kind, keyFieldsOf, type Line } from "./records/kind.ts";

/** A line that is as it should be, or what is wrong with each of its fields; `""` stands for the line itself. */
export type CheckedLine = { kind: Kind; line: Line } | { messages: FieldMessages };

const kindsByName = new Map(KINDS.map((kind) => [kind.record, kind]));
const UNKNOWN_RECORD = `must be one of ${KINDS.map(({ record }) => record).join(", ")}`;

/** Checks all of a line that can be checked without the database (feed.md, sections 1 and 3). */
export function checkLine({ number, text }: NumberedText): CheckedLine {
  const object = objectOf(text);
  if (Array.isArray(object)) return { messages: { "": object } };

  const { record, deleted = false } = object;
  const kind = typeof record === "string" ? kindsByName.get(record) : undefined;
  if (kind === undefined) return { messages: { record: [UNKNOWN_RECORD] } };

  const deletes = deleted === true && kind.type === "state";
  const schema = deletes ? keySchema(kind) : kind.fields;
  const result = schema.safeParse(object);
  const messages = result.success ? (kind.rules?.(result.data) ?? {}) : fieldMessages(result.error);
  if (typeof deleted !== "boolean") messages.deleted = ["must be true or false"];
  else if (kind.type === "event" && "deleted" in object) messages.deleted = ["an event cannot be deleted"];
  if (!result.success || Object.keys(messages).length > 0) return { messages };

  const row = kind.toRow === undefined ? result.data : kind.toRow(result.data);
  const line = { number, deleted: deletes, row };
  return fitsParameter(kind, line, text ?? "")
    ? { kind, line }
    : { messages: { "": ["holds more than can be stored"] } };
}

const keySchemas = new Map<Kind, Kind["fields"]>();

function keySchema(kind: Kind): Kind["fields"] {
  let schema = keySchemas.get(kind);
  if (schema === undefined) {
    const mask: Record<string, true> = Object.fromEntries(keyFieldsOf(kind).map((column) => [column, true]));
    schema = kind.fields.pick(mask as Record<never, true>);
    keySchemas.set(kind, schema);
  }
  return schema;
}

// A UTF-16 unit takes at most three bytes, and defaults add a little: a shorter line need not be measured.
const SURELY_FITTING_LENGTH = LARGEST_ROW_BYTES / 4;

function fitsParameter(kind: Kind, { row }: Line, text: string): boolean {
  return text.length < SURELY_FITTING_LENGTH || jsonBytes(columnsOf(kind).map((one) => row[one])) <= LARGEST_ROW_BYTES;
}
