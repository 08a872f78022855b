import { encodeBase64Url } from "hono/utils/encode";
import { encodeUtf8 } from "../../src/values/json.ts";

/** A line of an event, as an export gives it. */
export type EventLine = Readonly<Record<string, unknown>> & { record: string; id?: string };

/** The fields of each kind that add to totals. */
export const ADDED: Readonly<Record<string, readonly string[]>> = {
  balance_entry: ["amount"],
  token_earning: ["tokens"],
  play: ["runs", "hits", "doubles", "triples"],
};

/** The beginning of the id of an event that undoes another. */
const UNDO = "undo:";

/**
 * The line that undoes an event (docs/contract/requests.md, 3). Its id is always the same, so that it counts once. Null: a
 * summary, or an event that undoes another: no line undoes them.
 */
export async function oppositeOf(line: EventLine): Promise<EventLine | null> {
  const { record, id } = line;
  if (id === undefined || id.startsWith(UNDO)) return null;
  if (record === "message") return { record, id, deleted: true };
  // A redemption is undone by its reversal, and a reversal by another redemption.
  if (record === "redemption") return { ...line, reverses: line.reverses === null ? id : null, id: await undoIdOf(id) };
  const negated = (ADDED[record] ?? []).map((field) => [field, negative(line[field])]);
  return { ...line, ...Object.fromEntries(negated), id: await undoIdOf(id) };
}

/** An amount is a text, because a number would not be exact. */
function negative(value: unknown): unknown {
  if (typeof value === "number") return 0 - value;
  return String(value).startsWith("-") ? String(value).slice(1) : `-${value}`;
}

/** 48 characters. */
async function undoIdOf(id: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeUtf8(id));
  return `${UNDO}${encodeBase64Url(digest).replace("=", "")}`;
}
