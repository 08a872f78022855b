import { LINE_LIMIT } from "../../http/limits.ts";
import { EXPORTED_KINDS } from "../records/index.ts";
import { columnTypes, type Kind, tableName, type Way } from "../records/kind.ts";
import { program } from "../records/program.ts";
import { deletionReaderOf, type Reader, readerOf } from "./fields.ts";

/** Rows that an export reads in the order of an index, so that its last page costs what the first does. */
export interface ExportWalk extends Way, Pick<Kind, "record" | "table" | "large" | "moreBytes"> {
  /** Its name in a cursor. */
  name: string;
  table: Kind["table"];
  order: readonly string[];
  /** The most lines on a page. */
  mostLines: number;
  /** The field with the ids of a list. */
  list?: string | undefined;
  reader: Reader;
}

/** Where a page of an export begins: in which walk, and after which row; at its beginning where there is none. */
export interface Cursor {
  walk: ExportWalk;
  after: readonly (string | number)[] | undefined;
}

/** What an export ends with: the clock of messages. */
export const PROGRAM = program.record;

/**
 * All that an export reads, in its order: the records of each kind after those that they refer to, with the deleted ones
 * among them; then the lines that delete these again, because nothing may refer to an erased customer; at last the clock
 * (docs/contract/export.md, 2).
 */
export const WALKS: readonly ExportWalk[] = [
  ...EXPORTED_KINDS.flatMap(recordWalks),
  ...EXPORTED_KINDS.toReversed().flatMap(deletionWalks),
  ...recordWalks(program),
];

/** The kinds by which an export can be restricted. */
export const EXPORTED = [...EXPORTED_KINDS, program].map(({ record }) => record);

function recordWalks(kind: Kind): ExportWalk[] {
  const { record, list, large, moreBytes, ways = [{}] } = kind;
  const reader = readerOf(kind);
  return ways.map((way, index) => {
    const walk = walkOf(kind, `${record} ${index + 1}`, way, reader);
    return { ...walk, ...(large && { large }), ...(moreBytes && { moreBytes }), list: list?.field };
  });
}

function deletionWalks(kind: Kind): ExportWalk[] {
  if (kind.deletion === undefined) return [];
  const { column, is } = kind.deletion;
  const way = { when: `${tableName(kind)}.${column} = ${is}` };
  return [walkOf(kind, `${kind.record} deleted`, way, deletionReaderOf(kind))];
}

function walkOf({ record, key, table: own }: Kind, name: string, way: Way, reader: Reader): ExportWalk {
  const { table = own, order = columnTypes({ table }).has("key") ? ["key"] : key } = way;
  return { ...way, name, record, table, order, mostLines: LINE_LIMIT, reader };
}
