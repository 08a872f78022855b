import { type ExportWalk, WALKS } from "../feed/export/walks.ts";
import { KINDS } from "../feed/records/index.ts";
import { type Leaving, tableName } from "../feed/records/kind.ts";
import { isEvent } from "../feed/records/summaries.ts";

/** How the old events of a kind leave the database. */
export interface SealedKind extends Required<Omit<Leaving, "mostLines">> {
  record: string;
  table: string;
  /** The column with when an event happened. */
  time: string;
  /** How events are read back into lines. */
  walk: ExportWalk;
}

/** Every kind of event. */
export const SEALED_KINDS: readonly SealedKind[] = KINDS.flatMap(({ record, timeField, leaving }) => {
  const exported = WALKS.find((one) => one.record === record);
  if (timeField === undefined || exported === undefined) return [];
  // An export leaves out the messages of removed groups.
  const { leftOut: _, ...walk } = exported;
  const table = tableName(walk);
  const { mostLines = walk.mostLines, ...how } = { lookedAt: 20_000, when: isEvent(table), summaries: [], ...leaving };
  return [{ record, table, time: timeField, walk: { ...walk, mostLines }, ...how }];
});
