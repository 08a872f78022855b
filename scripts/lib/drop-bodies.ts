import { gzipSync } from "node:zlib";
import type { Segment } from "../../src/history/segment.ts";
import { askDatabase, type Where } from "./database.ts";
import type { Bucket } from "./history-bucket.ts";
import { faultOf, linesOf, type SegmentLine, sha256Of } from "./history-segments.ts";

/**
 * Writes a segment of messages anew without the bodies of all that a customer wrote: the object first, then its row. Cut
 * off between the two, it is resumed by doing it again: an object that its row does not fit is one of those, if all else
 * in it is as the row says, and no body of the customer is left.
 */
export async function dropBodies(
  segment: Segment,
  { bucket, customer, where }: { bucket: Bucket; customer: string; where: Where },
): Promise<{ bodies: number; isWritten: boolean } | string> {
  const object = await bucket.read(segment.name);
  if (object === null) return "is not in the bucket";
  const isKnown = sha256Of(object) === segment.sha256;
  const lines = isKnown ? linesOf(object) : readable(object);
  const fault = faultOf(segment, lines);
  if (fault !== null) return fault;

  const isOfCustomer = (line: SegmentLine) => line.customer_id === customer && line.body !== "";
  const bodies = lines.filter(isOfCustomer).length;
  if (isKnown && bodies === 0) return { bodies, isWritten: false };
  if (!isKnown && bodies > 0) return "has another SHA-256 than the database says";
  const emptied = lines.map((line) => JSON.stringify(isOfCustomer(line) ? { ...line, body: "" } : line));
  const written = isKnown ? gzipSync(`${emptied.join("\n")}\n`) : object;
  if (isKnown) await bucket.write(segment.name, written);
  const { kind, month, number, sha256 } = segment;
  await askDatabase(
    [
      `UPDATE history_segments SET bytes = ${written.length}, sha256 = '${sha256Of(written)}'
       WHERE kind = '${kind}' AND month = '${month}' AND number = ${number} AND sha256 = '${sha256}'`,
    ],
    where,
  );
  return { bodies, isWritten: true };
}

/** The lines of an object that may be damaged: then none. */
function readable(object: Buffer): SegmentLine[] {
  try {
    return linesOf(object);
  } catch {
    return [];
  }
}
