import { type SQL, sql } from "drizzle-orm";
import type { Kind, Scan } from "../../db/kind.ts";
import { EXPORTED_KINDS } from "../../records/index.ts";
import { program } from "../../records/program.ts";
import { aboutCustomer, hasKeyColumn, tableName } from "../kind.ts";
import { type Reader, readerOf } from "./fields.ts";

/** A scan with its reader. It has the order of an index, so the last page of an export costs as much as the first. */
export interface ExportScan extends Scan {
  /** Its name in a cursor. */
  name: string;
  kind: Kind;
  table: Kind["table"];
  order: readonly string[];
  reader: Reader;
  hasLongRows: boolean;
}

/** Which lines an export has; left out: all. */
export interface ExportFilter {
  /** Only lines about this customer. */
  customer?: string | undefined;
  /** Only events that these requests stored: their first and last version. */
  request?: string | undefined;
}

/** Where a page of an export begins. */
export interface ExportCursor {
  scan: ExportScan;
  /** The last row of the previous page, by the columns of the order; left out: the page begins at the first row. */
  lastRow?: readonly (string | number)[] | undefined;
  filter: ExportFilter;
  /** How often old events had been added up when the export began. */
  steps: number;
}

/**
 * The scans of an export, in its order (docs/contract/export.md, 2): the records of each kind, deleted ones too, after the
 * kinds that they refer to; then the lines that delete records, because none may refer to an erased customer; last, `program`.
 */
export const SCANS: readonly ExportScan[] = [
  ...EXPORTED_KINDS.flatMap(recordScans),
  ...EXPORTED_KINDS.toReversed().flatMap(deletionScans),
  ...recordScans(program),
];

/** The condition on the rows of a kind; undefined: no row of the kind is in the export. */
export function conditionOf(kind: Kind, { customer, request = "" }: ExportFilter): SQL | undefined {
  const [first, last = first] = request.split("-");
  const isAbout = customer === undefined ? sql`true` : aboutCustomer(kind)?.(sql`(SELECT key FROM asked)`);
  const isOfRequests = sql.raw(`${tableName(kind)}.request BETWEEN ${Number(first)} AND ${Number(last)}`);
  if (request === "" || isAbout === undefined) return isAbout;
  return kind.type === "event" ? sql`${isAbout} AND ${isOfRequests}` : undefined;
}

/** The kinds that an export has, by name. */
export const EXPORTED = [...EXPORTED_KINDS, program].map(({ record }) => record);

function recordScans(kind: Kind): ExportScan[] {
  const reader = readerOf(kind, Object.keys(kind.fields.shape));
  const { record, hasLongRows = false, read: { scans = [{}] } = {} } = kind;
  return scans.map((scan, index) => ({ ...scanOf(kind, `${record} ${index + 1}`, scan), reader, hasLongRows }));
}

function deletionScans(kind: Kind): ExportScan[] {
  const { record, deletion, keyFields } = kind;
  if (deletion === undefined) return [];
  const scan = scanOf(kind, `${record} deleted`, {
    when: sql.raw(`${tableName(kind)}.${deletion.column} = ${deletion.is}`),
  });
  return [{ ...scan, reader: readerOf(kind, [...keyFields, "deleted"]), hasLongRows: false }];
}

function scanOf(kind: Kind, name: string, scan: Scan) {
  const table = scan.table ?? kind.table;
  const order = scan.order ?? (hasKeyColumn({ table }) ? ["key"] : kind.key);
  return { ...scan, name, kind, table, order };
}
