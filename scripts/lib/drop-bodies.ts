import { gzipSync } from "node:zlib";
import type { Segment } from "../../src/history/object.ts";
import { askDatabase, type Where } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";
import { faultOf, linesOf, type SegmentLine, segmentsOf, sha256Of } from "./history-segments.ts";

/** Whose bodies are dropped: those of all that a customer wrote, or that of one message. */
export type Meant = { customer: string } | { message: string };

const FOLDER = "message/";

// Messages have no index by customer, and nobody else has the database while a statement looks at them.
const LOOKED_AT = 5_000;

/** Drops bodies in the database, whose triggers see to it that groups are notified, and resolves with how many. */
export async function dropStoredBodies(meant: Meant, where: Where): Promise<number> {
  const empty = (which: string) => `UPDATE messages SET body = '' WHERE ${which} AND body <> '' RETURNING 1`;
  if ("message" in meant) {
    const [emptied = []] = await askDatabase([empty(`id = ${literal(hexOf(meant.message))}`)], where);
    return emptied.length;
  }
  const isTheirs = `customer_key = (SELECT key FROM customers WHERE id = ${literal(hexOf(meant.customer))})`;
  let bodies = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: string = `SELECT id FROM messages WHERE id > ${literal(after)} ORDER BY id LIMIT ${LOOKED_AT}`;
    const statements = [
      `SELECT hex(max(id)) AS last FROM (${page}) HAVING count(*) = ${LOOKED_AT}`,
      empty(`${isTheirs} AND id IN (${page})`),
    ];
    const [[end] = [], emptied = []] = await askDatabase<{ last?: string }>(statements, where);
    bodies += emptied.length;
    after = end?.last;
  }
  return bodies;
}

function hexOf(text: string): string {
  return Buffer.from(text).toString("hex");
}

/** A text in SQL, whatever characters it has. */
function literal(hex: string): string {
  return `CAST(X'${hex}' AS TEXT)`;
}

/**
 * Writes a segment of messages anew without bodies: first its row, then the object. Cut off between the two, it is resumed
 * by doing it again: the row has the SHA-256 of what the object is to become, so no other object is taken for it.
 */
export async function dropBodies(
  segment: Segment,
  { bucket, meant, where }: { bucket: Bucket; meant: Meant; where: Where },
): Promise<{ bodies: number; isWritten: boolean } | string> {
  const object = await bucket.read(segment.name);
  if (object === null) return "is not in the bucket";
  const isKnown = sha256Of(object) === segment.sha256;
  const lines = isKnown ? linesOf(object) : (readable(object) ?? []);
  const { bodies, emptied } = withoutBodies(lines, meant);
  if (isKnown) {
    const fault = faultOf(segment, lines);
    if (fault !== null) return fault;
    if (bodies === 0) return { bodies, isWritten: false };
    if (!(await changeRow(segment, emptied, where))) return "was written anew meanwhile: run this again";
  } else if (sha256Of(emptied) !== segment.sha256) return "has another SHA-256 than the database says";
  await bucket.write(segment.name, emptied);
  return { bodies, isWritten: true };
}

/**
 * Does the same to the objects that no segment names: those of steps that were cut off at the end of a month
 * (docs/contract/history.md, 2). Those of the month that is written now may be about to be named.
 */
export async function dropUnnamedBodies({
  bucket,
  meant,
  where,
}: {
  bucket: Bucket;
  meant: Meant;
  where: Where;
}): Promise<{ bodies: number; objects: number; faults: string[] }> {
  const dropped = { bodies: 0, objects: 0, faults: [] as string[] };
  const [[walk] = []] = await askDatabase<{ month: string }>(
    ["SELECT month FROM history_walks WHERE kind = 'message'"],
    where,
  );
  if (walk === undefined) return dropped;
  const named = new Set<string>();
  for await (const { name } of segmentsOf(where)) named.add(name);
  const keys = await bucket.list(FOLDER);
  const unnamed = keys.filter((key) => key < FOLDER + walk.month && !named.has(key));
  for (const key of unnamed) {
    const object = await bucket.read(key);
    const lines = object === null ? [] : readable(object);
    if (lines === null) dropped.faults.push(`${key} is damaged`);
    const { bodies, emptied } = withoutBodies(lines ?? [], meant);
    if (bodies === 0) continue;
    await bucket.write(key, emptied);
    dropped.bodies += bodies;
    dropped.objects += 1;
  }
  return dropped;
}

/** What an object becomes, and how many bodies it loses. */
function withoutBodies(lines: readonly SegmentLine[], meant: Meant): { bodies: number; emptied: Buffer } {
  const isMeant = ({ id, customer_id, body }: SegmentLine) =>
    body !== "" && ("message" in meant ? id === meant.message : customer_id === meant.customer);
  const texts = lines.map((line) => JSON.stringify(isMeant(line) ? { ...line, body: "" } : line));
  return { bodies: lines.filter(isMeant).length, emptied: gzipSync(`${texts.join("\n")}\n`) };
}

/** Gives a segment's row another object, and says whether the row was still as the segment is. */
async function changeRow({ kind, month, number, sha256 }: Segment, object: Buffer, where: Where): Promise<boolean> {
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
