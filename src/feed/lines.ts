import { LARGEST_ROW_BYTES, utf8Bytes } from "../db/json-rows.ts";
import { type FieldMessages, fieldMessages } from "../values/messages.ts";
import { type NumberedText, objectOf } from "./ndjson.ts";
import { KINDS } from "./records/index.ts";
import {
  checkedColumns,
  columnsOf,
  countedColumns,
  type Kind,
  keyFieldsOf,
  LIST_PIECE,
  type Line,
  type Row,
} from "./records/kind.ts";

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
  const line = deletes ? deletingLine(number, row) : writingLine(kind, number, row);
  return fitsParameter(line) ? { kind, line } : { messages: { "": ["holds more than can be stored"] } };
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

function deletingLine(number: number, row: Row): Line {
  return { number, deleted: true, row, text: "", lists: [], items: 0, place: number };
}

function writingLine(kind: Kind, number: number, row: Row): Line {
  const lists = (kind.lists ?? []).map(({ field }) => (Array.isArray(row[field]) ? row[field] : []));
  return {
    number,
    deleted: false,
    row: Object.fromEntries(lookedAt(kind).map((column) => [column, row[column]])),
    text: JSON.stringify(columnsOf(kind).map((column) => row[column] ?? null)),
    lists: lists.map(inPieces),
    items: lists.reduce((sum, items) => sum + items.length, 0),
    place: number,
  };
}

const lookedAtColumns = new Map<Kind, readonly string[]>();

/** The columns that a line is asked for once it is checked. */
function lookedAt(kind: Kind): readonly string[] {
  let columns = lookedAtColumns.get(kind);
  if (columns === undefined) {
    const counted = kind.type === "event" ? countedColumns(kind) : [];
    columns = [...new Set([...checkedColumns(kind), ...counted])];
    lookedAtColumns.set(kind, columns);
  }
  return columns;
}

function inPieces(items: readonly unknown[]): string[] {
  const pieces = Math.max(1, Math.ceil(items.length / LIST_PIECE));
  return Array.from({ length: pieces }, (_, index) =>
    JSON.stringify(items.slice(index * LIST_PIECE, (index + 1) * LIST_PIECE)),
  );
}

// A UTF-16 unit takes at most three bytes: a shorter text need not be measured.
const SURELY_FITTING_LENGTH = LARGEST_ROW_BYTES / 3;

function fitsParameter({ text }: Line): boolean {
  return text.length < SURELY_FITTING_LENGTH || utf8Bytes(text) <= LARGEST_ROW_BYTES;
}
