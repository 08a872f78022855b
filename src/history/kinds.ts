import { isEvent } from "../db/select.ts";
import { type ExportScan, SCANS } from "../feed/export/scans.ts";
import { type Leaving, tableName } from "../feed/records/kind.ts";

/** A kind of event, and how its old events leave the database. */
export interface SealedKind extends Required<Leaving> {
  record: string;
  table: string;
  /** The column with the time of an event. */
  time: string;
  /** Reads events back into lines. */
  scan: ExportScan;
}

// `leftOut` is dropped: an export leaves out the messages of removed groups, but they must leave the database too.
export const SEALED_KINDS: readonly SealedKind[] = SCANS.flatMap(({ leftOut: _, ...scan }) => {
  const { record, timeField: time, leaving } = scan.kind;
  // The other scans of messages read the table of their groups.
  if (time === undefined || scan.table !== scan.kind.table) return [];
  const table = tableName(scan);
  // A step with 2,000 events holds the database for about 22 ms (docs/decisions.md). The limit is no time, so that a step that
  // is repeated makes the same object again.
  const defaults = { lookedAt: 20_000, mostLines: 2_000, when: isEvent(table), summaries: [] };
  return [{ record, table, time, scan, ...defaults, ...leaving }];
});

export function kindOf(record: string): SealedKind {
  const kind = SEALED_KINDS.find((candidate) => candidate.record === record);
  if (kind === undefined) throw new Error(`There are no events of kind ${record}.`);
  return kind;
}
