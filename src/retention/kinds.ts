import type { Retention } from "../db/kind.ts";
import { isEvent } from "../db/select.ts";
import { tableName } from "../feed/kind.ts";
import { KINDS } from "../records/index.ts";

/** A kind of event, and how its old events are added up and deleted. */
export interface RetainedKind extends Required<Retention> {
  record: string;
  table: string;
  time: string;
}

export const RETAINED_KINDS: readonly RetainedKind[] = KINDS.flatMap((kind) => {
  const { record, time, retention } = kind;
  if (time === undefined || retention === undefined) return [];
  const table = tableName(kind);
  const defaults = { lookedAt: 5_000, when: isEvent(kind.table), summaries: [] };
  return [{ record, table, time, ...defaults, ...retention }];
});
