import { gzipSync } from "node:zlib";
import type { Segment } from "../../src/history/object.ts";
import { askDatabase, type DatabaseLocation, literal } from "./database.ts";
import { forEachSegment, linesOf, type OpenHistory, refuseFaults, sha256Of } from "./history-segments.ts";
import type { SegmentLine } from "./summary-sums.ts";

/** Which events lose their texts: those of a customer, or one message. */
export type Selection = { customer: string } | { message: string };

/** The table and the field with the text of an event, by kind of record. */
const TEXTS = {
  message: { table: "messages", field: "body" },
  balance_entry: { table: "balance_entries", field: "description" },
};
type TextKind = keyof typeof TEXTS;

export const TEXT_KINDS = Object.keys(TEXTS) as TextKind[];

// A statement blocks everybody else from the database, and without an index by customer it reads every row.
const ROWS_A_STATEMENT = 5_000;

/** The number of selected events in a chunk, and the chunk's last id; null for the last chunk. */
interface ChunkRow {
  events: number;
  lastId: string | null;
}

/** Empties the texts of the selected events of a kind in the database. Resolves with the number of these events. */
export async function dropStoredTexts(
  kind: TextKind,
  selection: Selection,
  database: DatabaseLocation,
): Promise<number> {
  const { table, field } = TEXTS[kind];
  // Summaries are left out: a summary stands for events that have left, and has no text.
  const isSelected =
    "message" in selection
      ? "true"
      : `customer_key = (SELECT key FROM customers WHERE id = ${literal(selection.customer)}) AND id NOT GLOB 'sealed:*'`;
  const isCandidate = "message" in selection ? `id = ${literal(selection.message)}` : "true";
  let events = 0;
  for (let lastId: string | null = ""; lastId !== null; ) {
    const chunk: string = `FROM ${table} WHERE id > ${literal(lastId)} AND ${isCandidate} ORDER BY id LIMIT ${ROWS_A_STATEMENT}`;
    const [[row] = []]: ChunkRow[][] = await askDatabase<ChunkRow>(
      [
        `SELECT count(*) FILTER (WHERE ${isSelected}) AS events, iif(count(*) = ${ROWS_A_STATEMENT}, max(id), NULL) AS lastId
        FROM (SELECT id, customer_key ${chunk})`,
        `UPDATE ${table} SET ${field} = '' WHERE ${isSelected} AND ${field} <> '' AND id IN (SELECT id ${chunk})`,
      ],
      database,
    );
    events += row?.events ?? 0;
    lastId = row?.lastId ?? null;
  }
  return events;
}

/**
 * Begins to merge the customers' search index, and the schedule goes on with the merge. Until the merge ends, an erased
 * name is still stored in a part of the index that no search reads. By itself the schedule merges only parts of the
 * same size.
 */
export async function mergeSearchIndex(database: DatabaseLocation): Promise<void> {
  const beginMerge = "INSERT INTO customer_words (customer_words, rank) VALUES ('merge', -100)";
  await askDatabase([beginMerge, "UPDATE jobs SET due_at = '' WHERE name = 'merge the search indexes'"], database);
}

/**
 * Empties the texts of the selected events of these kinds in every segment, and in objects that no segment names.
 * @throws a CommandError that names the faulty objects.
 */
export async function dropFromSegments(kinds: readonly TextKind[], selection: Selection, history: OpenHistory) {
  const { bucket } = history;
  const events: Record<string, number> = {};
  let texts = 0;
  let writtenObjects = 0;
  const segmentNames = new Set<string>();
  const { skipped, faults } = await forEachSegment(history, async (segment) => {
    segmentNames.add(segment.name);
    if (!kinds.some((kind) => kind === segment.kind)) return "skipped";
    const outcome = await dropFromSegment(segment, selection, history);
    if (typeof outcome === "string") return { fault: outcome };
    events[segment.kind] = (events[segment.kind] ?? 0) + outcome.events;
    texts += outcome.texts;
    if (outcome.isWritten) writtenObjects += 1;
    return outcome.isWritten ? "done" : "skipped";
  });
  for (const kind of kinds) {
    for (const key of await keysOfUnnamedObjects(kind, segmentNames, history)) {
      const object = await bucket.read(key);
      const lines = object && readableLines(object);
      if (object !== null && lines === null) faults.push(`${key} is damaged`);
      const emptiedContent = withoutTexts(lines ?? [], selection);
      if (emptiedContent.texts === 0) continue;
      await bucket.write(key, emptiedContent.object);
      texts += emptiedContent.texts;
      writtenObjects += 1;
    }
  }
  refuseFaults(faults);
  return { events, texts, writtenObjects, skippedObjects: skipped };
}

/**
 * Writes a segment anew without the selected texts: first its row, then its object. Resolves with counts, or with a text
 * that names a fault.
 */
async function dropFromSegment(segment: Segment, selection: Selection, { database, bucket }: OpenHistory) {
  const object = await bucket.read(segment.name);
  if (object === null) return "is not in the bucket";
  const emptiedContent = withoutTexts(readableLines(object) ?? [], selection);
  const { events, texts } = emptiedContent;
  const matchesRow = sha256Of(object) === segment.sha256;
  // A run that was cut off has written the row, but not the object. Then the emptied object has the SHA-256 of the row.
  if (!matchesRow && sha256Of(emptiedContent.object) !== segment.sha256)
    return "has another SHA-256 than the database says";
  if (matchesRow && texts === 0) return { events, texts, isWritten: false };
  if (matchesRow && !(await changeRow(segment, emptiedContent.object, database)))
    return "was written anew meanwhile: run this again";
  await bucket.write(segment.name, emptiedContent.object);
  return { events, texts, isWritten: true };
}

/**
 * Writes the size and hash of the new object into a segment's row. Resolves with false if another run has changed the
 * row.
 */
async function changeRow(segment: Segment, object: Buffer, database: DatabaseLocation): Promise<boolean> {
  const { kind, month, number, sha256 } = segment;
  const update = `UPDATE history_segments SET bytes = ${object.length}, sha256 = '${sha256Of(object)}'
    WHERE kind = '${kind}' AND month = '${month}' AND number = ${number} AND sha256 = '${sha256}' RETURNING 1`;
  const [rows = []] = await askDatabase([update], database);
  return rows.length > 0;
}

/**
 * The keys of objects that no segment names. Steps that were cut off at the end of a month leave such objects
 * (docs/contract/history.md, 2). Objects of the current month are left out, because a step may be about to name them.
 */
async function keysOfUnnamedObjects(
  kind: TextKind,
  segmentNames: ReadonlySet<string>,
  { database, bucket }: OpenHistory,
): Promise<string[]> {
  const query = `SELECT month FROM history_scans WHERE kind = '${kind}'`;
  const [[scan] = []] = await askDatabase<{ month: string }>([query], database);
  if (scan === undefined) return [];
  const keys = await bucket.list(`${kind}/`);
  return keys.filter((key) => key < `${kind}/${scan.month}` && !segmentNames.has(key));
}

/** An object of these lines without the selected texts, and how many selected events and texts there were. */
function withoutTexts(lines: readonly SegmentLine[], selection: Selection) {
  const isSelected = ({ id, customer_id }: SegmentLine) =>
    "message" in selection ? id === selection.message : customer_id === selection.customer;
  const fieldOf = ({ record }: SegmentLine) => TEXTS[record as TextKind].field;
  const hasText = (line: SegmentLine) => isSelected(line) && line[fieldOf(line)] !== "";
  const emptiedLines = lines.map((line) => JSON.stringify(hasText(line) ? { ...line, [fieldOf(line)]: "" } : line));
  return {
    events: lines.filter(isSelected).length,
    texts: lines.filter(hasText).length,
    object: gzipSync(`${emptiedLines.join("\n")}\n`),
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
