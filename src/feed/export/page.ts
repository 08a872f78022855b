import type { Database } from "../../db/database.ts";
import { invalid } from "../../http/errors.ts";
import { BODY_LIMIT, ITEM_LIMIT } from "../../http/limits.ts";
import { utf8Bytes } from "../../values/text.ts";
import { itemsOf } from "../records/kind.ts";
import { cursorOf, findPage, type PageRows } from "./queries.ts";
import { readSegments } from "./segments.ts";
import { type Cursor, type ExportWalk, WALKS, WALKS_ABOUT_CUSTOMER } from "./walks.ts";

/** A page of an export: lines that one feed request takes. */
interface ExportPage {
  bytes: Uint8Array<ArrayBuffer>;
  version: number;
  /** The cursor of the next page, if there is one. */
  next: { walk: string; after: Cursor["after"]; customer: string | undefined } | undefined;
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
 * Reads a page of these kinds, or of all where none is named; from the beginning where there is no cursor.
 * @throws the failure 422 for the cursor of an export of other kinds, or about another customer; 503 where an object of
 * history cannot be read.
 */
export async function readPage(db: Database, { records = [], customer, after, bucket }: Asked): Promise<ExportPage> {
  const all = customer === undefined ? WALKS : WALKS_ABOUT_CUSTOMER;
  const walks = records.length === 0 ? all : all.filter(({ record }) => records.includes(record));
  const walk = walks.find((one) => after === undefined || one === after.walk);
  if (walk === undefined || (after !== undefined && after.customer !== customer))
    throw invalid({ after: ["must be of an export of the same kinds and customer"] });

  const found = await findPage(db, { walk, after: after?.after, customer }, walks);
  const written = writeLines(walk, found);
  const isSegment = customer !== undefined && walk.about === undefined;
  const bytes = isSegment ? await readSegments(bucket, found.rows, customer) : written.bytes;
  const end = written.end ?? found.examined;
  const next = end === undefined ? found.later[0] && { walk: found.later[0], after: undefined } : { walk, after: end };
  return { bytes, version: found.version, next: next && { ...next, walk: next.walk.name, customer } };
}

/** The lines that one feed request takes, and where they end, if there is more in the walk. */
export function writeLines(
  walk: ExportWalk,
  { rows, ids, hasMore }: Pick<PageRows, "rows" | "ids" | "hasMore">,
): { bytes: ExportPage["bytes"]; end: Cursor["after"] } {
  const lines: string[] = [];
  let [size, items] = [0, 0];
  let end = hasMore ? cursorOf(walk, rows.at(-1)) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row.left_out === 1) continue;
    const fields = walk.reader.toLine(row, ids);
    const line = `${JSON.stringify(fields)}\n`;
    size += utf8Bytes(line);
    items += itemsOf(walk.list, fields).length;
    if (size > BODY_LIMIT.bytes || items > ITEM_LIMIT) {
      end = cursorOf(walk, rows[index - 1]);
      break;
    }
    lines.push(line);
  }
  return { bytes: new Uint8Array(new TextEncoder().encode(lines.join(""))), end };
}
