import { LARGEST_ROW_BYTES, utf8Bytes } from "../db/json-rows.ts";
import { addMessage, type FieldMessages, fieldMessages } from "../values/messages.ts";
import { toUtc } from "../values/time.ts";
import { type NumberedText, objectOf } from "./ndjson.ts";
import { KINDS } from "./records/index.ts";
import { countItems, isDeletable, type Kind, type Line, TOO_OLD, toUsed } from "./records/kind.ts";
import { toJsonRow } from "./records/statements.ts";

/** A valid line with what it writes, a JSON array, or what is wrong with each of its fields; `""` stands for the line. */
export type CheckedLine = GoodLine | { messages: FieldMessages };

export interface GoodLine {
  kind: Kind;
  line: Line;
  text: string;
}

/**
 * Checks all of a line that can be checked without the database (docs/contract/feed.md, 1 and 3). `horizon`: events of
 * before this time are bad lines; null: none are.
 */
export function checkLine(
  { number, text: given }: NumberedText,
  kinds: readonly Kind[] = KINDS,
  horizon: string | null = null,
): CheckedLine {
  const object = objectOf(given);
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
  if (horizon !== null && isOlder(kind, object, horizon)) addMessage(messages, kind.timeField ?? "", TOO_OLD);
  if (!result.success || Object.keys(messages).length > 0) return { messages };

  const text = deletes ? "" : toJsonRow(kind, number, result.data);
  if (!fitsParameter(text)) return { messages: { "": ["holds more than can be stored"] } };
  const items = countItems(kind.list?.field, result.data);
  const time = timeOf(kind, result.data);
  const line = { number, time, deleted: deletes, used: toUsed(kind, result.data), items, order: number };
  return { kind, line, text };
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

// A UTF-16 unit takes at most three bytes: a shorter text need not be measured.
const SURELY_FITTING_LENGTH = LARGEST_ROW_BYTES / 3;

function fitsParameter(text: string): boolean {
  return text.length < SURELY_FITTING_LENGTH || utf8Bytes(text) <= LARGEST_ROW_BYTES;
}
