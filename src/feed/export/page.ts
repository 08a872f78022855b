import type { Database } from "../../db/database.ts";
import { invalid } from "../../http/errors.ts";
import { BODY_LIMIT, ITEM_LIMIT } from "../../http/limits.ts";
import { encodeUtf8 } from "../../values/json.ts";
import { utf8Bytes } from "../../values/text.ts";
import { historySegment } from "../records/history-segment.ts";
import { itemsOf } from "../records/kind.ts";
import type { Row } from "./fields.ts";
import { cursorOf, findPage, SENT_BYTES } from "./queries.ts";
import { type ExportCursor, type ExportScan, SCANS, SCANS_ABOUT_CUSTOMER } from "./scans.ts";
import { readSegments } from "./segments.ts";

interface PageRequest {
  records?: readonly string[] | undefined;
  /** Only lines about this customer. */
  customer?: string | undefined;
  after: ExportCursor | undefined;
  /** The bucket with the objects of history, if history is on. */
  bucket?: R2Bucket | undefined;
}

/**
 * Reads a page of an export, lines that one feed request takes: of these kinds, or of all; without a cursor, the first page.
 * @throws the failure 422 if the cursor is from an export of other kinds or about another customer, and 503 if an object of
 * history cannot be read.
 */
export async function readPage(db: Database, { records = [], customer, after, bucket }: PageRequest) {
  const exportScans = customer === undefined ? SCANS : SCANS_ABOUT_CUSTOMER;
  const scans = records.length === 0 ? exportScans : exportScans.filter(({ kind }) => records.includes(kind.record));
  const scan = scans.find((candidate) => after === undefined || candidate === after.scan);
  if (scan === undefined || (after !== undefined && after.customer !== customer))
    throw invalid({ after: ["must be of an export of the same kinds and customer"] });

  const laterScans = scans.slice(scans.indexOf(scan) + 1);
  const start = { scan, after: after?.after, customer };
  const { version, rows, nextScan, lastScanned } = await findPage(db, start, laterScans);
  // Of a segment, only `last` is used.
  const written = writeLines(scan, rows);
  const isSegment = customer !== undefined && scan.kind === historySegment;
  const bytes = isSegment ? await readSegments(bucket, rows, customer) : written.bytes;
  const last = written.last ?? lastScanned;
  const next = last === undefined ? nextScan : scan;
  return { bytes, version, next: next && { scan: next.name, after: last, customer } };
}

/** As many lines as one feed request takes; `last`: the cursor of the last row, if the scan may have more. */
export function writeLines(scan: ExportScan, rows: readonly Row[]) {
  const hasMore = rows.length === rows[0]?.most_lines || Number(rows.at(-1)?.sent_bytes) >= SENT_BYTES;
  const lines: string[] = [];
  let [size, items] = [0, 0];
  let last = hasMore ? cursorOf(scan, rows.at(-1)) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row.left_out === 1) continue;
    const fields = scan.reader.toLine(row);
    const line = `${JSON.stringify(fields)}\n`;
    size += utf8Bytes(line);
    items += itemsOf(scan.kind.list?.field, fields).length;
    if (size > BODY_LIMIT.bytes || items > ITEM_LIMIT) {
      last = cursorOf(scan, rows[index - 1]);
      break;
    }
    lines.push(line);
  }
  return { bytes: encodeUtf8(lines.join("")), last };
}
