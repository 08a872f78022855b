import { LINE_LIMIT } from "../../http/limits.ts";
import { historySegment } from "../records/history-segment.ts";
import { EXPORTED_KINDS } from "../records/index.ts";
import { columnTypes, type Kind, type Scan, tableName } from "../records/kind.ts";
import { program } from "../records/program.ts";
import { deletionReaderOf, type Reader, readerOf } from "./fields.ts";

/** Rows that an export reads in the order of an index, so that its last page costs what the first does. */
export interface ExportWalk extends Scan, Pick<Kind, "record" | "table" | "large" | "moreBytes"> {
  /** Its name in a cursor. */
  name: string;
  table: Kind["table"];
  order: readonly string[];
  /** The most lines on a page. */
  mostLines: number;
  /** The field with the ids of a list. */
  list?: string | undefined;
  reader: Reader;
  /** Given the key of a customer in SQL, the condition that a row is about them; left out: no row is. */
  about?: ((customerKey: string) => string) | undefined;
}

/** Where a page of an export begins: in which walk, and after which row; at its beginning where there is none. */
export interface Cursor {
  walk: ExportWalk;
  after: readonly (string | number)[] | undefined;
  /** The customer whom the export is about; left out: it has everything. */
  customer?: string | undefined;
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

/** What an export about one customer reads: also each segment of history, for the lines that have left. */
export const WALKS_ABOUT_CUSTOMER = WALKS.filter(
  ({ about, record }) => about !== undefined || record === historySegment.record,
);

/** The kinds by which an export can be restricted. */
export const EXPORTED = [...EXPORTED_KINDS, program].map(({ record }) => record);

function recordWalks(kind: Kind): ExportWalk[] {
  const { record, list, large, moreBytes, scans = [{}] } = kind;
  const reader = readerOf(kind);
  return scans.map((way, index) => {
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

function walkOf(kind: Kind, name: string, way: Scan, reader: Reader): ExportWalk {
  const { record, key, table: own, about = aboutOwner(kind) } = kind;
  const { table = own, order = columnTypes({ table }).has("key") ? ["key"] : key } = way;
  return { ...way, name, record, table, order, mostLines: LINE_LIMIT, reader, about };
}

function aboutOwner(kind: Kind): Kind["about"] {
  return "customer_key" in kind.table ? (key) => `${tableName(kind)}.customer_key = ${key}` : undefined;
}
