import type { Retention } from "../db/kind.ts";
import { isEvent } from "../db/select.ts";
import { tableName } from "../feed/kind.ts";
import { KINDS } from "../records/index.ts";

/** A kind of event, and how its old events are added up and deleted. */
export interface RetainedKind extends Required<Retention> {
  record: string;
  table: string;
  /** The column with the time of an event. */
  time: string;
}

export const RETAINED_KINDS: readonly RetainedKind[] = KINDS.flatMap((kind) => {
  const { record, time, retention } = kind;
  if (time === undefined || retention === undefined) return [];
  const table = tableName(kind);
  // A step with 500 old events holds the database for about 12 ms (docs/decisions.md).
  const defaults = { lookedAt: 5_000, mostDeleted: 500, when: isEvent(kind.table), summaries: [] };
  return [{ record, table, time, ...defaults, ...retention }];
});
