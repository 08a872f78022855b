import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { summaryId } from "../db/derived/summaries.ts";
import { textOf } from "../db/dialect.ts";
import { journal } from "../db/journal.ts";
import type { Summary } from "../db/kind.ts";
import { columnNames, type SelectedRow, selectList } from "../db/select.ts";
import { retentionProgress } from "../db/tables.ts";
import { programState } from "../records/program.ts";
import type { RetainedKind } from "./kinds.ts";

/** A step that deletes as many events holds the database for about 12 ms (docs/decisions.md). */
const MOST_DELETED = 500;

/**
 * Takes the next step through the events of a kind, in one transaction: looks at the next events, adds those from before the
 * horizon to their summaries, and deletes them. It also moves the stored horizon forward, so that no event that was added up is
 * ever fed again. A step goes on where the last one ended, whoever took it; another horizon begins anew.
 *
 * There is no step while the database takes restores, because a repeated restore would bring back events that were added up.
 */
export async function takeStep(
  db: Database,
  { record, table, time, when, summaries, lookedAt }: RetainedKind,
  horizon: string,
): Promise<{ deleted: number; isOver: boolean }> {
  const { kind, horizon: begunWith, after_id, last_id, deleted } = retentionProgress;
  const from = sql.raw(table);
  const begin = sql`
    INSERT INTO ${retentionProgress} (${columnNames(kind, begunWith, after_id, last_id, deleted)})
    SELECT ${record}, ${horizon}, '', '', 0 FROM ${programState} WHERE ${programState.restorable} = 0
    ON CONFLICT (${columnNames(kind)}) DO UPDATE SET ${columnNames(begunWith)} = excluded.horizon, ${columnNames(last_id)} = ''
    WHERE ${begunWith} <> excluded.horizon`;
  const isNext = sql`id > (SELECT ${last_id} FROM ${retentionProgress} WHERE ${kind} = ${record})`;
  const isOld = sql`${sql.raw(time)} < ${horizon} AND ${when}`;
  // With OFFSET, because SQLite skips rows ten times as fast as it counts them.
  const lastLookedAt = sql`SELECT id FROM ${from} WHERE ${isNext} ORDER BY id LIMIT 1 OFFSET ${sql.raw(String(lookedAt - 1))}`;
  const lastOfAll = sql`(SELECT max(id) FROM ${from})`;
  const move = sql`
    WITH looked_at AS (
      SELECT id, ${isOld} AS is_old FROM ${from} WHERE ${isNext} ORDER BY id LIMIT ${sql.raw(String(lookedAt))}
    ),
    step AS (
      SELECT count(*) AS old, max(id) AS last_old, (${lastLookedAt}) AS last_looked_at
      FROM (SELECT id FROM looked_at WHERE is_old LIMIT ${sql.raw(String(MOST_DELETED))})
    )
    UPDATE ${retentionProgress} SET
      ${columnNames(after_id)} = ${last_id},
      ${columnNames(last_id)} = coalesce(iif(step.old = ${MOST_DELETED}, last_old, last_looked_at), ${lastOfAll}, ${last_id}),
      ${columnNames(deleted)} = step.old
    FROM step WHERE ${kind} = ${record}`;
  const isOfStep = sql`
    id > (SELECT ${after_id} FROM ${retentionProgress} WHERE ${kind} = ${record})
    AND id <= (SELECT ${last_id} FROM ${retentionProgress} WHERE ${kind} = ${record}) AND ${isOld}`;
  const progress = { deleted, isOver: sql<0 | 1>`${last_id} >= coalesce(${lastOfAll}, '')` };
  const { moved } = await db.write({
    begun: [begin],
    moved: [sql<SelectedRow<typeof progress>>`${move} RETURNING ${selectList(progress)}`],
    counted: [countStep(record)],
    journalled: [
      sql`${journal({ source: "retention", subject: "", lines: deleted })} FROM ${retentionProgress}
      WHERE ${kind} = ${record} AND ${deleted} > 0`,
    ],
    added: summaries.map((summary) => addToSummary(summary, { summaries, table, time, isOfStep })),
    deleted: [sql`DELETE FROM ${from} WHERE ${isOfStep}`],
  });
  const [step] = moved;
  return { deleted: step?.deleted ?? 0, isOver: step?.isOver !== 0 };
}

/** Moves the stored horizon. A step that deletes events counts as a feed request, so that an export notices it. */
function countStep(record: string): SQL {
  const { version, horizon, retention_steps } = programState;
  const { kind, deleted, horizon: begunWith } = retentionProgress;
  return sql`UPDATE ${programState} SET
      ${columnNames(horizon)} = max(${horizon}, ${begunWith}),
      ${columnNames(version)} = ${version} + (${deleted} > 0),
      ${columnNames(retention_steps)} = ${retention_steps} + (${deleted} > 0)
    FROM ${retentionProgress} WHERE ${kind} = ${record}`;
}

/** Adds the old events of a step to their summaries. A summary has the time of its newest event. */
function addToSummary(
  { by, filter = "true", adds, stepColumn }: Summary,
  { summaries, table, time, isOfStep }: Pick<RetainedKind, "summaries" | "table" | "time"> & { isOfStep: SQL },
): SQL {
  const values: Record<string, string> = {
    id: summaryId(summaries, (key) => (by.includes(key) ? key : "NULL")),
    ...Object.fromEntries(by.map((key) => [key, key])),
    ...Object.fromEntries(adds.map((column) => [column, `sum(${column})`])),
    ...(stepColumn !== undefined && {
      [stepColumn]: textOf(sql`(SELECT ${programState.retention_steps} FROM ${programState})`),
    }),
    [time]: `max(${time})`,
  };
  const updates = [
    ...adds.map((column) => `${column} = ${column} + excluded.${column}`),
    ...(stepColumn === undefined ? [] : [`${stepColumn} = excluded.${stepColumn}`]),
    `${time} = max(${time}, excluded.${time})`,
  ];
  return sql`
    ${sql.raw(`INSERT INTO ${table} (${Object.keys(values)}) SELECT ${Object.values(values)} FROM ${table}`)}
    WHERE ${isOfStep} AND ${sql.raw(`${filter} GROUP BY ${by}`)}
    ON CONFLICT (id) DO UPDATE SET ${sql.raw(updates.join(", "))}`;
}
