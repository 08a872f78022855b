import type { Database } from "../../db/database.ts";
import { utf8Bytes } from "../../db/json-rows.ts";
import { BODY_LIMIT, ITEM_LIMIT } from "../limits.ts";
import type { Fields } from "../records/kind.ts";
import { type Cursor, toText } from "./cursor.ts";
import { findPage, type PageRows } from "./queries.ts";
import { type ExportWalk, WALKS } from "./walks.ts";

/** A page of an export: lines that one feed request takes. */
export interface ExportPage {
  text: string;
  version: number;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
}

export interface ExportQuery {
  /** The name of the program. */
  program: string;
  /** The kinds of record; left out: all. */
  records: readonly string[] | undefined;
  /** Left out: from the beginning. */
  after: Cursor | undefined;
}

/** What is wrong with the cursor of another export. */
export const FOREIGN_CURSOR = "must be of an export of the same program and kinds";

/** Reads a page, or null where the cursor is one of an export of another program or of other kinds. */
export async function readPage(db: Database, { program, records, after }: ExportQuery): Promise<ExportPage | null> {
  const walks = records === undefined ? WALKS : WALKS.filter(({ record }) => records.includes(record));
  const [first] = walks;
  const cursor = after ?? (first && { program, walk: first, after: undefined });
  if (cursor === undefined || cursor.program !== program || !walks.includes(cursor.walk)) return null;

  const found = await findPage(db, cursor, walks);
  const { lines, end } = cut(cursor.walk, found);
  const next =
    end === undefined
      ? found.later[0] && { program, walk: found.later[0], after: undefined }
      : { program, walk: cursor.walk, after: end };
  return {
    text: lines.map((line) => `${line}\n`).join(""),
    version: found.version,
    next: next && toText(next),
  };
}

/** The lines that one feed request takes, and where they end, if there is more in the walk. */
function cut(walk: ExportWalk, { rows, ids, hasMore }: PageRows): { lines: string[]; end: Cursor["after"] } {
  const lines: string[] = [];
  let [bytes, items] = [0, 0];
  for (const row of rows) {
    const fields = walk.reader.toLine(row, ids);
    const line = JSON.stringify(fields);
    bytes += utf8Bytes(line) + 1;
    items += itemsOf(fields, walk);
    if (lines.length > 0 && (bytes > BODY_LIMIT.bytes || items > ITEM_LIMIT))
      return { lines, end: endOf(rows[lines.length - 1]) };
    lines.push(line);
  }
  return { lines, end: hasMore ? endOf(rows.at(-1)) : undefined };

  function itemsOf(fields: Fields, { list }: ExportWalk): number {
    const items = list === undefined ? undefined : fields[list];
    return Array.isArray(items) ? items.length : 0;
  }

  function endOf(row: Record<string, unknown> = {}): (string | number)[] {
    return walk.order.map((_, index) => row[`end_${index}`] as string | number);
  }
}
