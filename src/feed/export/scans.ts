import { sql } from "drizzle-orm";
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

/** Where a page of an export begins. */
export interface ExportCursor {
  scan: ExportScan;
  /** The last row of the previous page, by the columns of the order; left out: the page begins at the first row. */
  after?: readonly (string | number)[] | undefined;
  /** The customer whom the export is about; left out: it has everything. */
  customer?: string | undefined;
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

/** The scans of an export about one customer. */
export const SCANS_ABOUT_CUSTOMER = SCANS.filter(({ kind }) => aboutCustomer(kind) !== undefined);

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
