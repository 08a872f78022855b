import { type SQL, sql } from "drizzle-orm";
import type { Statement } from "../../db/database.ts";
import { type EventKind, type Line, tableName } from "./kind.ts";
import { usedFieldLines, usedFieldParts, usedFields } from "./line-texts.ts";
import { referenceKeys, resolved } from "./resolved-lines.ts";

// The events that are not stored yet, as checks and totals see them: both come before the events are written.

// Each check and total looks up the ids of its lines for itself. Where a kind has several, from so many lines on that is
// done once instead, for all of them: that writes two rows, which a small request should not pay for.
const COLLECTED_FROM_LINES = 1_000;

/** Puts the events of many lines into `fresh_events`, where `freshEvents` then reads them. */
export function collectFreshEvents(kind: EventKind, lines: readonly Line[]): Statement[] {
  if (!areCollected(kind, lines)) return [];
  return usedFieldParts(kind, lines).map(
    (used) => sql`
      INSERT INTO fresh_events (record, lines)
      SELECT ${kind.record}, json_group_array(json_array(${sql.raw(columnsOf(kind).join(", "))}))
      FROM ${notStored(kind, used)} HAVING count(*) > 0`,
  );
}

/** Takes them out again. */
export function dropFreshEvents(): Statement {
  return sql`DELETE FROM fresh_events`;
}

/** For a `WITH` clause: the lines' events that are not stored yet, as a relation named after the record. */
export function freshEvents(kind: EventKind, lines: readonly Line[], hint: "MATERIALIZED" | ""): SQL {
  const columns = sql.raw(columnsOf(kind).join(", "));
  const events = areCollected(kind, lines) ? collected(kind) : notStored(kind, usedFieldLines(kind, lines));
  return sql`${sql.raw(`${kind.record} AS ${hint}`)} (SELECT ${columns} FROM ${events})`;
}

function areCollected(kind: EventKind, lines: readonly Line[]): boolean {
  return kind.collected === true && lines.length >= COLLECTED_FROM_LINES;
}

function columnsOf(kind: EventKind): string[] {
  return ["line", ...usedFields(kind), ...referenceKeys(kind)];
}

function collected(kind: EventKind): SQL {
  const values = columnsOf(kind).map((name, index) => `event.value ->> ${index} AS ${name}`);
  return sql`(
    SELECT ${sql.raw(values.join(", "))} FROM fresh_events CROSS JOIN json_each(fresh_events.lines) AS event
    WHERE fresh_events.record = ${kind.record}
  )`;
}

function notStored(kind: EventKind, used: SQL): SQL {
  return sql`(
    SELECT number AS line, line.* FROM ${resolved(kind, used, "keep")} AS line
    WHERE NOT EXISTS (SELECT 1 FROM ${sql.raw(tableName(kind))} AS stored WHERE stored.id = line.id)
  )`;
}
