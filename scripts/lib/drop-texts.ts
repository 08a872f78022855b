import { gzipSync } from "node:zlib";
import type { Segment } from "../../src/history/object.ts";
import { type AnyDatabase, askDatabase, inPages, literal } from "./database.ts";
import {
  faultOf,
  forEachSegment,
  linesOf,
  type Opened,
  refuseFaults,
  type SegmentLine,
  segmentsOf,
  sha256Of,
} from "./history-segments.ts";

/** The events that lose their texts: those of a customer, or one message. */
export type Target = { customer: string } | { message: string };

/** The table and the field with the text of an event, by kind of record. */
const TEXTS = {
  message: { table: "messages", field: "body" },
  balance_entry: { table: "balance_entries", field: "description" },
};
export type TextKind = keyof typeof TEXTS;

export const TEXT_KINDS = Object.keys(TEXTS) as TextKind[];

// Not every kind has an index by customer. A statement blocks everybody else from the database.
const ROWS_A_STATEMENT = 5_000;

/** Empties one message in the database, whose triggers notify the group. Resolves with the number of messages. */
export async function dropStoredBody(message: string, where: AnyDatabase): Promise<number> {
  const update = `UPDATE messages SET body = '' WHERE id = ${literal(message)} AND body <> '' RETURNING 1`;
  const [emptied = []] = await askDatabase([update], where);
  return emptied.length;
}

/** Empties a customer's events of a kind in the database. Resolves with the number of their events. */
export async function dropStoredTexts(kind: TextKind, customer: string, where: AnyDatabase): Promise<number> {
  const { table, field } = TEXTS[kind];
  // A summary stands for other events, and has no text.
  const isTheirs = `customer_key = (SELECT key FROM customers WHERE id = ${literal(customer)}) AND id NOT GLOB 'sealed:*'`;
  const statements = (page: string) => [
    `SELECT count(*) AS events FROM ${table} WHERE ${isTheirs} AND id IN (${page})`,
    `UPDATE ${table} SET ${field} = '' WHERE ${isTheirs} AND ${field} <> '' AND id IN (${page})`,
  ];
  let sum = 0;
  for await (const [found] of inPages<{ events: number }>(table, ROWS_A_STATEMENT, where, statements))
    sum += found?.[0]?.events ?? 0;
  return sum;
}

/**
 * Begins to merge the customers' search index; the schedule goes on with it. Until it ends, an erased name lies in a part of
 * the index that no search reads. By itself the schedule merges only parts of one size.
 */
export async function mergeSearchIndex(where: AnyDatabase): Promise<void> {
  const begin = "INSERT INTO customer_words (customer_words, rank) VALUES ('merge', -100)";
  await askDatabase([begin, "UPDATE jobs SET due_at = '' WHERE name = 'merge the search indexes'"], where);
}

/**
 * Empties the target's events of these kinds in every segment, and in objects that no segment names.
 * @throws a CommandError that names the faulty objects.
 */
export async function dropFromSegments(kinds: readonly TextKind[], target: Target, opened: Opened) {
  const { bucket } = opened;
  const events: Record<string, number> = {};
  let [texts, unnamed] = [0, 0];
  const { done, skipped, faults } = await forEachSegment(opened, async (segment) => {
    if (!kinds.some((kind) => kind === segment.kind)) return "skipped";
    const dropped = await dropFromSegment(segment, target, opened);
    if (typeof dropped === "string") return { fault: dropped };
    events[segment.kind] = (events[segment.kind] ?? 0) + dropped.events;
    texts += dropped.texts;
    return dropped.isWritten ? "done" : "skipped";
  });
  for (const kind of kinds) {
    for (const key of await unnamedObjects(kind, opened)) {
      const object = await bucket.read(key);
      const lines = object && readableLines(object);
      if (object !== null && lines === null) faults.push(`${key} is damaged`);
      const emptied = withoutTexts(lines ?? [], target);
      if (emptied.texts === 0) continue;
      await bucket.write(key, emptied.object);
      texts += emptied.texts;
      unnamed += 1;
    }
  }
  refuseFaults(faults);
  return { events, texts, written: done, skipped, unnamed };
}

/**
 * Writes a segment anew without the target's texts: first its row, then the object. If it is cut off between the two, the next
 * run goes on: the row has the SHA-256 of the new object, so no other object is taken for it. A text names a fault.
 */
async function dropFromSegment(segment: Segment, target: Target, { where, bucket }: Opened) {
  const object = await bucket.read(segment.name);
  if (object === null) return "is not in the bucket";
  const isCurrent = sha256Of(object) === segment.sha256;
  const lines = isCurrent ? linesOf(object) : (readableLines(object) ?? []);
  const emptied = withoutTexts(lines, target);
  const { events, texts } = emptied;
  if (isCurrent) {
    const fault = faultOf(segment, lines);
    if (fault !== null) return fault;
    if (texts === 0) return { events, texts, isWritten: false };
    if (!(await changeRow(segment, emptied.object, where))) return "was written anew meanwhile: run this again";
  } else if (sha256Of(emptied.object) !== segment.sha256) return "has another SHA-256 than the database says";
  await bucket.write(segment.name, emptied.object);
  return { events, texts, isWritten: true };
}

/** Gives a segment's row the new object. Resolves with false if another run has changed the row meanwhile. */
async function changeRow(segment: Segment, object: Buffer, where: AnyDatabase): Promise<boolean> {
  const { kind, month, number, sha256 } = segment;
  const update = `UPDATE history_segments SET bytes = ${object.length}, sha256 = '${sha256Of(object)}'
    WHERE kind = '${kind}' AND month = '${month}' AND number = ${number} AND sha256 = '${sha256}' RETURNING 1`;
  const [rows = []] = await askDatabase([update], where);
  return rows.length > 0;
}

/**
 * The objects that no segment names: steps that were cut off at the end of a month left them (docs/contract/history.md, 2).
 * A segment may still be about to name an object of the current month.
 */
async function unnamedObjects(kind: TextKind, { where, bucket }: Opened): Promise<string[]> {
  const query = `SELECT month FROM history_scans WHERE kind = '${kind}'`;
  const [[scan] = []] = await askDatabase<{ month: string }>([query], where);
  if (scan === undefined) return [];
  const named = new Set<string>();
  for await (const { name } of segmentsOf(where)) named.add(name);
  const keys = await bucket.list(`${kind}/`);
  return keys.filter((key) => key < `${kind}/${scan.month}` && !named.has(key));
}

/** The object of lines without the target's texts, and how many events and texts of the target there were. */
function withoutTexts(lines: readonly SegmentLine[], target: Target) {
  const isTarget = ({ id, customer_id }: SegmentLine) =>
    "message" in target ? id === target.message : customer_id === target.customer;
  const fieldOf = ({ record }: SegmentLine) => TEXTS[record as TextKind].field;
  const hasText = (line: SegmentLine) => isTarget(line) && line[fieldOf(line)] !== "";
  const emptied = lines.map((line) => JSON.stringify(hasText(line) ? { ...line, [fieldOf(line)]: "" } : line));
  return {
    events: lines.filter(isTarget).length,
    texts: lines.filter(hasText).length,
    object: gzipSync(`${emptied.join("\n")}\n`),
  };
}

/** The lines of an object; null if it is damaged. */
function readableLines(object: Buffer): SegmentLine[] | null {
  try {
    return linesOf(object);
  } catch {
    return null;
  }
}
