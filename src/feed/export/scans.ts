import { historySegment } from "../records/history-segment.ts";
import { EXPORTED_KINDS } from "../records/index.ts";
import { hasKeyColumn, type Kind, type Scan, tableName } from "../records/kind.ts";
import { program } from "../records/program.ts";
import { type Reader, readerOf } from "./fields.ts";

/** Rows that an export reads in the order of an index, so that its last page costs as much as its first. */
export interface ExportScan extends Scan {
  /** Its name in a cursor. */
  name: string;
  kind: Kind;
  table: Kind["table"];
  order: readonly string[];
  reader: Reader;
  /** Whether a page of its rows can be more than D1 should send. */
  pageEndsBy: Kind["pageEndsBy"];
}

/** Where a page of an export begins: in this scan, after this row; without a row, at the first. */
export interface Cursor {
  scan: ExportScan;
  after?: readonly (string | number)[] | undefined;
  /** The customer whom the export is about; left out: it has everything. */
  customer?: string | undefined;
}

/**
 * All that an export reads, in its order (docs/contract/export.md, 2): the records of each kind after those that they refer
 * to, with the deleted ones among them; then the lines that delete these again, because nothing may refer to an erased
 * customer; then the clock.
 */
export const SCANS: readonly ExportScan[] = [
  ...EXPORTED_KINDS.flatMap(recordScans),
  ...EXPORTED_KINDS.toReversed().flatMap(deletionScans),
  ...recordScans(program),
];

/** What an export about one customer reads: also each segment of history, for the lines that have left. */
export const SCANS_ABOUT_CUSTOMER = SCANS.filter(
  ({ kind }) => kind.isAboutCustomer !== undefined || kind === historySegment,
);

/** The kinds by which an export can be restricted. */
export const EXPORTED = [...EXPORTED_KINDS, program].map(({ record }) => record);

function recordScans(kind: Kind): ExportScan[] {
  const reader = readerOf(kind, Object.keys(kind.fields.shape));
  const { record, pageEndsBy, scans = [{}] } = kind;
  return scans.map((scan, index) => ({ ...scanOf(kind, `${record} ${index + 1}`, scan), reader, pageEndsBy }));
}

function deletionScans(kind: Kind): ExportScan[] {
  const { record, deletion, keyFields } = kind;
  if (deletion === undefined) return [];
  const scan = scanOf(kind, `${record} deleted`, { when: `${tableName(kind)}.${deletion.column} = ${deletion.is}` });
  return [{ ...scan, reader: readerOf(kind, [...keyFields, "deleted"]), pageEndsBy: undefined }];
}

function scanOf(kind: Kind, name: string, scan: Scan) {
  const table = scan.table ?? kind.table;
  const order = scan.order ?? (hasKeyColumn({ table }) ? ["key"] : kind.key);
  return { ...scan, name, kind, table, order };
}
