import type { Database } from "../../db/database.ts";
import { invalid } from "../../http/errors.ts";
import { BODY_LIMIT, ITEM_LIMIT } from "../../http/limits.ts";
import { utf8Bytes } from "../../values/text.ts";
import { historySegment } from "../records/history-segment.ts";
import { itemsOf } from "../records/kind.ts";
import { cursorOf, findPage, type ScannedRows } from "./queries.ts";
import { type Cursor, type ExportScan, SCANS, SCANS_ABOUT_CUSTOMER } from "./scans.ts";
import { readSegments } from "./segments.ts";

/** A page of an export: lines that one feed request takes. */
interface ExportPage {
  bytes: Uint8Array<ArrayBuffer>;
  version: number;
  /** The cursor of the next page, if there is one. */
  next: { scan: string; after: Cursor["after"]; customer: string | undefined } | undefined;
}

interface Asked {
  records?: readonly string[] | undefined;
  /** Only lines about this customer. */
  customer?: string | undefined;
  after: Cursor | undefined;
  /** The objects of history, where it is on. */
  bucket?: R2Bucket | undefined;
}

/**
 * Reads a page of these kinds, or of all if none is named; without a cursor, the first page.
 * @throws the failure 422 for the cursor of an export of other kinds, or about another customer; 503 if an object of
 * history cannot be read.
 */
export async function readPage(db: Database, { records = [], customer, after, bucket }: Asked): Promise<ExportPage> {
  const all = customer === undefined ? SCANS : SCANS_ABOUT_CUSTOMER;
  const scans = records.length === 0 ? all : all.filter(({ kind }) => records.includes(kind.record));
  const scan = scans.find((one) => after === undefined || one === after.scan);
  if (scan === undefined || (after !== undefined && after.customer !== customer))
    throw invalid({ after: ["must be of an export of the same kinds and customer"] });

  const later = scans.slice(scans.indexOf(scan) + 1);
  const { version, next, lastScanned, ...scanned } = await findPage(db, { scan, after: after?.after, customer }, later);
  const lines = writeLines(scan, scanned);
  const isSegment = customer !== undefined && scan.kind === historySegment;
  const bytes = isSegment ? await readSegments(bucket, scanned.rows, customer) : lines.bytes;
  const end = lines.end ?? lastScanned;
  const from = end === undefined ? next && { scan: next, after: undefined } : { scan, after: end };
  return { bytes, version, next: from && { ...from, scan: from.scan.name, customer } };
}

/** The lines that one feed request takes, and the cursor of the last one, if there are more in the scan. */
export function writeLines(
  scan: ExportScan,
  { rows, ids, hasMore }: ScannedRows,
): { bytes: ExportPage["bytes"]; end: Cursor["after"] } {
  const lines: string[] = [];
  let [size, items] = [0, 0];
  let end = hasMore ? cursorOf(scan, rows.at(-1)) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row.left_out === 1) continue;
    const fields = scan.reader.toLine(row, ids);
    const line = `${JSON.stringify(fields)}\n`;
    size += utf8Bytes(line);
    items += itemsOf(scan.kind.list?.field, fields).length;
    if (size > BODY_LIMIT.bytes || items > ITEM_LIMIT) {
      end = cursorOf(scan, rows[index - 1]);
      break;
    }
    lines.push(line);
  }
  return { bytes: new Uint8Array(new TextEncoder().encode(lines.join(""))), end };
}
