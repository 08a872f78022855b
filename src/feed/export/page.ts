import type { Database } from "../../db/database.ts";
import { invalid } from "../../http/errors.ts";
import { BODY_LIMIT, ITEM_LIMIT } from "../../http/limits.ts";
import { utf8Bytes } from "../../values/text.ts";
import { countItems } from "../records/kind.ts";
import type { Row } from "./fields.ts";
import { findPage, type PageRows } from "./queries.ts";
import { type Cursor, type ExportWalk, WALKS } from "./walks.ts";

/** A page of an export: lines that one feed request takes. */
interface ExportPage {
  bytes: Uint8Array<ArrayBuffer>;
  version: number;
  /** The cursor of the next page, if there is one. */
  next: { walk: string; after: Cursor["after"] } | undefined;
}

/**
 * Reads a page of these kinds, or of all where none is named; from the beginning where there is no cursor.
 * @throws the failure 422 for the cursor of an export of other kinds.
 */
export async function readPage(
  db: Database,
  { records = [], after }: { records?: readonly string[] | undefined; after: Cursor | undefined },
): Promise<ExportPage> {
  const walks = records.length === 0 ? WALKS : WALKS.filter(({ record }) => records.includes(record));
  const walk = walks.find((one) => after === undefined || one === after.walk);
  if (walk === undefined) throw invalid({ after: ["must be of an export of the same kinds"] });

  const found = await findPage(db, { walk, after: after?.after }, walks);
  const { bytes, end } = writeLines(walk, found);
  const next = end === undefined ? found.later[0] && { walk: found.later[0], after: undefined } : { walk, after: end };
  return { bytes, version: found.version, next: next && { ...next, walk: next.walk.name } };
}

function cursorOf({ order }: ExportWalk, row: Row | undefined): (string | number)[] {
  if (row === undefined) throw new Error("A line alone is more than a page has room for.");
  return order.map((_, index) => row[`cursor_${index}`] as string | number);
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
    items += countItems(walk.list, fields);
    if (size > BODY_LIMIT.bytes || items > ITEM_LIMIT) {
      end = cursorOf(walk, rows[index - 1]);
      break;
    }
    lines.push(line);
  }
  return { bytes: new Uint8Array(new TextEncoder().encode(lines.join(""))), end };
}
