import { gzipSync } from "node:zlib";
import type { Segment } from "../../src/history/object.ts";
import { type AnyDatabase, askDatabase } from "./database.ts";
import { forEachSegment, type Opened, refuseFaults } from "./each-segment.ts";
import type { Bucket } from "./history-bucket.ts";
import { faultOf, linesOf, type SegmentLine, segmentsOf, sha256Of } from "./history-segments.ts";

/** The events that lose their texts: a customer's messages and entries, or one message. */
export type Target = { customer: string } | { message: string };

/** Where the texts of events are, by the kind of record. */
const TEXTS = {
  message: { table: "messages", field: "body" },
  balance_entry: { table: "balance_entries", field: "description" },
};
export type TextKind = keyof typeof TEXTS;

export const TEXT_KINDS = Object.keys(TEXTS) as TextKind[];

// Not every kind has an index by customer, and a statement keeps everybody else from the database.
const LOOKED_AT = 5_000;

/** Drops the body of one message in the database; its triggers notify the group. */
export async function dropStoredBody(message: string, where: AnyDatabase): Promise<number> {
  const empty = `UPDATE messages SET body = '' WHERE id = ${literal(message)} AND body <> '' RETURNING 1`;
  const [emptied = []] = await askDatabase([empty], where);
  return emptied.length;
}

/** Drops what a customer wrote in events of a kind in the database, and resolves with how many events are theirs. */
export async function dropStoredTexts(kind: TextKind, customer: string, where: AnyDatabase): Promise<number> {
  const { table, field } = TEXTS[kind];
  // A summary stands for other events, and has no text.
  const isTheirs = `customer_key = (SELECT key FROM customers WHERE id = ${literal(customer)}) AND id NOT GLOB 'sealed:*'`;
  let events = 0;
  for (let after: string | undefined = "''"; after !== undefined; ) {
    const page: string = `SELECT id FROM ${table} WHERE id > ${after} ORDER BY id LIMIT ${LOOKED_AT}`;
    const statements = [
      `SELECT hex(max(id)) AS last FROM (${page}) HAVING count(*) = ${LOOKED_AT}`,
      `SELECT count(*) AS events FROM ${table} WHERE ${isTheirs} AND id IN (${page})`,
      `UPDATE ${table} SET ${field} = '' WHERE ${isTheirs} AND ${field} <> '' AND id IN (${page})`,
    ];
    const [[end] = [], [found] = []] = await askDatabase<{ last?: string; events?: number }>(statements, where);
    events += found?.events ?? 0;
    after = end?.last && `CAST(X'${end.last}' AS TEXT)`;
  }
  return events;
}

/**
 * Begins to merge all of the customers' search index, which the schedule goes on with: until then an erased name lies in a
 * part of the index that no search looks into. By itself the schedule joins parts of one size only.
 */
export async function mergeSearchIndex(where: AnyDatabase): Promise<void> {
  const begin = "INSERT INTO customer_words (customer_words, rank) VALUES ('merge', -100)";
  await askDatabase([begin, "UPDATE jobs SET due_at = '' WHERE name = 'merge the search indexes'"], where);
}

/** A text in SQL, whatever characters it has. */
export function literal(text: string): string {
  return `CAST(X'${Buffer.from(text).toString("hex")}' AS TEXT)`;
}

/** How many events of the target an object has, and how many of their texts were dropped. */
interface Dropped {
  events: number;
  texts: number;
}

/**
 * Writes a segment anew without the texts of the target: first its row, then the object. Cut off between the two, it is
 * resumed by doing it again: the row has the SHA-256 of what the object is to become, so no other object is taken for it.
 */
async function dropTexts(
  segment: Segment,
  { bucket, target, where }: { bucket: Bucket; target: Target; where: AnyDatabase },
): Promise<(Dropped & { isWritten: boolean }) | string> {
  const object = await bucket.read(segment.name);
  if (object === null) return "is not in the bucket";
  const isKnown = sha256Of(object) === segment.sha256;
  const lines = isKnown ? linesOf(object) : (readable(object) ?? []);
  const { emptied, ...dropped } = withoutTexts(lines, target);
  if (isKnown) {
    const fault = faultOf(segment, lines);
    if (fault !== null) return fault;
    if (dropped.texts === 0) return { ...dropped, isWritten: false };
    if (!(await changeRow(segment, emptied, where))) return "was written anew meanwhile: run this again";
  } else if (sha256Of(emptied) !== segment.sha256) return "has another SHA-256 than the database says";
  await bucket.write(segment.name, emptied);
  return { ...dropped, isWritten: true };
}

/**
 * Drops texts from objects that no segment names: those of steps that were cut off at the end of a month
 * (docs/contract/history.md, 2). An object of the current month may be about to be named.
 */
async function dropUnnamedTexts(
  kind: TextKind,
  { bucket, target, where }: { bucket: Bucket; target: Target; where: AnyDatabase },
): Promise<Dropped & { objects: number; faults: string[] }> {
  const dropped = { events: 0, texts: 0, objects: 0, faults: [] as string[] };
  const [[scan] = []] = await askDatabase<{ month: string }>(
    [`SELECT month FROM history_scans WHERE kind = '${kind}'`],
    where,
  );
  if (scan === undefined) return dropped;
  const named = new Set<string>();
  for await (const { name } of segmentsOf(where)) named.add(name);
  const keys = await bucket.list(`${kind}/`);
  const unnamed = keys.filter((key) => key < `${kind}/${scan.month}` && !named.has(key));
  for (const key of unnamed) {
    const object = await bucket.read(key);
    const lines = object === null ? [] : readable(object);
    if (lines === null) dropped.faults.push(`${key} is damaged`);
    const { events, texts, emptied } = withoutTexts(lines ?? [], target);
    dropped.events += events;
    if (texts === 0) continue;
    await bucket.write(key, emptied);
    dropped.texts += texts;
    dropped.objects += 1;
  }
  return dropped;
}

/** The object without the texts of the target. */
function withoutTexts(lines: readonly SegmentLine[], target: Target): Dropped & { emptied: Buffer } {
  const isTarget = ({ id, customer_id }: SegmentLine) =>
    "message" in target ? id === target.message : customer_id === target.customer;
  const fieldOf = ({ record }: SegmentLine) => TEXTS[record as TextKind].field;
  const isFilled = (line: SegmentLine) => isTarget(line) && line[fieldOf(line)] !== "";
  const emptied = lines.map((line) => JSON.stringify(isFilled(line) ? { ...line, [fieldOf(line)]: "" } : line));
  return {
    events: lines.filter(isTarget).length,
    texts: lines.filter(isFilled).length,
    emptied: gzipSync(`${emptied.join("\n")}\n`),
  };
}

/** Gives a segment's row another object, and says whether the row was still as the segment is. */
async function changeRow(
  { kind, month, number, sha256 }: Segment,
  object: Buffer,
  where: AnyDatabase,
): Promise<boolean> {
  const update = `UPDATE history_segments SET bytes = ${object.length}, sha256 = '${sha256Of(object)}'
    WHERE kind = '${kind}' AND month = '${month}' AND number = ${number} AND sha256 = '${sha256}' RETURNING name`;
  const [rows = []] = await askDatabase<{ name: string }>([update], where);
  return rows.length > 0;
}

/** The lines of an object; null where it is damaged. */
function readable(object: Buffer): SegmentLine[] | null {
  try {
    return linesOf(object);
  } catch {
    return null;
  }
}

/**
 * Drops the texts of the target from every segment of these kinds, and from objects that no segment names.
 * @throws a CommandError that names the objects that are not as they should be.
 */
export async function dropFromSegments(kinds: readonly TextKind[], target: Target, opened: Opened) {
  const events: Record<string, number> = {};
  let [texts, unnamed] = [0, 0];
  const take = (kind: TextKind, dropped: Dropped) => {
    events[kind] = (events[kind] ?? 0) + dropped.events;
    texts += dropped.texts;
  };
  const { where, bucket } = opened;
  const { done, skipped, faults } = await forEachSegment(opened, async (segment) => {
    const kind = kinds.find((one) => one === segment.kind);
    if (kind === undefined) return "skipped";
    const dropped = await dropTexts(segment, { bucket, target, where });
    if (typeof dropped === "string") return { fault: dropped };
    take(kind, dropped);
    return dropped.isWritten ? "done" : "skipped";
  });
  for (const kind of kinds) {
    const dropped = await dropUnnamedTexts(kind, { bucket, target, where });
    texts += dropped.texts;
    unnamed += dropped.objects;
    faults.push(...dropped.faults);
  }
  refuseFaults(faults);
  return { events, texts, written: done, skipped, unnamed };
}
