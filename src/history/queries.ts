import { type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../db/database.ts";
import { NOW, names, select } from "../db/select.ts";
import { historyScans, historySegments, programState } from "../db/tables.ts";
import { selectRows, writeLines } from "../feed/export/queries.ts";
import { type Summary, summaryId } from "../feed/records/summaries.ts";
import { kindOf, SEALED_KINDS, type SealedKind } from "./kinds.ts";
import { gzipLines, objectName, putOnce } from "./object.ts";

/** How far the events of a kind have been scanned for old events. */
export interface ScanProgress {
  kind: string;
  /** The month of the horizon. */
  month: string;
  /** The last event that was looked at. */
  lastId: string;
  /** For how many days the scan has not moved. */
  days: number;
}

/**
 * The scans of a month that are not over. First comes the scan that has not moved for the longest time. A new month starts all
 * scans again. There are none while the database takes restores, because a repeated restore would bring back events that
 * have left.
 */
export async function findScans(db: Database, month: string): Promise<ScanProgress[]> {
  const { kind, month: scannedMonth, last_id, is_over, moved_at } = historyScans;
  const kinds = JSON.stringify(SEALED_KINDS.map(({ record }) => record));
  const { scans } = await db.steps({
    begun: [
      sql`INSERT INTO ${historyScans} (${names(kind, scannedMonth, last_id, is_over, moved_at)})
        SELECT value, ${month}, '', 0, ${NOW} FROM json_each(${kinds}), ${programState} WHERE ${programState.restorable} = 0
        ON CONFLICT (${names(kind)}) DO UPDATE SET
          ${names(scannedMonth)} = excluded.month, ${names(last_id)} = '', ${names(is_over)} = 0,
          ${names(moved_at)} = iif(${is_over} = 1, excluded.moved_at, ${moved_at})
        WHERE ${scannedMonth} <> excluded.month`,
    ],
    scans: [
      select(
        {
          kind,
          month: scannedMonth,
          lastId: last_id,
          days: sql<number>`CAST(julianday(${NOW}) - julianday(${moved_at}) AS INTEGER)`,
        },
        sql`FROM ${historyScans} WHERE ${is_over} = 0 ORDER BY ${moved_at}, ${kind}`,
      ),
    ],
  });
  return scans;
}

/**
 * The next step of a scan: the ids and lines of the events that leave, the number of their segment, the last event that the
 * step looks at, and whether the scan is over then. Events that are too many for one object wait for the next step.
 */
async function findLeaving(
  db: Database,
  sealed: SealedKind,
  { from, horizon, lookedAt }: { from: ScanProgress; horizon: string; lookedAt: number },
) {
  const { record, time, when, scan, mostLines } = sealed;
  const { kind, month, number } = historySegments;
  const table = sql.raw(sealed.table);
  // With OFFSET, because SQLite skips rows ten times as fast as it counts them.
  const lastOfStep = sql`SELECT id FROM ${table} WHERE id > ${from.lastId} ORDER BY id LIMIT 1 OFFSET ${lookedAt} - 1`;
  const lastOfAll = sql`(SELECT max(id) FROM ${table})`;
  const lastLookedAt = sql`coalesce((${lastOfStep}), ${lastOfAll})`;
  const whereAndOrder = sql`
    WHERE ${table}.id > ${from.lastId} AND ${table}.id <= ${lastLookedAt}
      AND ${table}.${sql.raw(time)} < ${horizon} AND ${sql.raw(when)}
    ORDER BY ${table}.id`;
  const [[lastEvent], rows, [nextSegment]] = await db.batch([
    sql<{ id: string | null; ofAll: string | null }>`SELECT ${lastLookedAt} AS id, ${lastOfAll} AS ofAll`,
    selectRows(scan, whereAndOrder, sql.raw(String(mostLines))),
    select(
      { number: sql<number>`coalesce(max(${number}), 0) + 1` },
      sql`FROM ${historySegments} WHERE ${kind} = ${record} AND ${month} = ${from.month}`,
    ),
  ]);
  const { bytes, last: cursor } = writeLines(scan, rows);
  const ids = rows.map(({ cursor_0 }) => String(cursor_0));
  // If there is no cursor, all rows became lines.
  const lastWritten = cursor && String(cursor[0]);
  return {
    ids: lastWritten === undefined ? ids : ids.slice(0, ids.lastIndexOf(lastWritten) + 1),
    lines: bytes,
    number: Number(nextSegment?.number),
    lastId: lastWritten ?? lastEvent?.id ?? from.lastId,
    isOver: lastWritten === undefined && lastEvent?.id === lastEvent?.ofAll,
  };
}

/**
 * Takes the next step of a scan: looks at its next events, and moves the old ones out. It first writes their object. Then one
 * transaction adds the events to their summaries, deletes them, and stores the segment. It counts as a feed request, so that
 * an export notices that events have left meanwhile.
 * @throws if the database has other events by then. Then nothing changes there.
 */
export async function takeStep(
  db: Database,
  from: ScanProgress,
  { bucket, horizon, lookedAt }: { bucket: R2Bucket; horizon: string; lookedAt: number | undefined },
) {
  const sealed = kindOf(from.kind);
  const limits = { from, horizon, lookedAt: lookedAt ?? sealed.lookedAt };
  const { ids, lines: text, number: firstNumber, ...end } = await findLeaving(db, sealed, limits);
  if (ids.length === 0) {
    await db.steps({ moved: [moveScan(from, end)] });
    return { ...end, sealed: 0, bytes: 0 };
  }
  const content = await gzipLines(text);
  const folder = `${from.kind}/${from.month}/`;
  const writtenNumber = await putOnce(bucket, content, { folder, number: firstNumber });
  const size = content.bytes.byteLength;

  const { table, time, when, summaries } = sealed;
  const { kind, month, number, name, lines, bytes, sha256, oldest, newest } = historySegments;
  // The events that leave, by the condition of `findLeaving`: looking up each id would hold the database longer.
  const leave = sql`id > ${from.lastId} AND id <= ${ids.at(-1)} AND ${sql.raw(time)} < ${horizon} AND ${sql.raw(when)}`;
  const sums = summaries.flatMap(({ filter = "true", sums }) =>
    Object.entries(sums).map(([name, column]) => `'${name}', coalesce(sum(${column}) FILTER (WHERE ${filter}), 0)`),
  );
  // The number of lines; NULL, which the column refuses, if the database now has other events than the object. The parameter
  // has at most 2,000 ids of 64 characters, half of what D1 allows.
  const lineCount = sql`iif(json_group_array(id ORDER BY id) = ${JSON.stringify(ids)}, count(*), NULL)`;
  await db.steps({
    written: [
      sql`INSERT INTO ${historySegments}
          (${names(kind, month, number, name, bytes, sha256, lines, oldest, newest, historySegments.sums)})
        SELECT ${from.kind}, ${from.month}, ${writtenNumber}, ${objectName(folder, writtenNumber)}, ${size}, ${content.sha256},
          ${lineCount}, min(${sql.raw(time)}), max(${sql.raw(time)}), json_object(${sql.raw(sums.join(", "))})
        FROM ${sql.raw(table)} WHERE ${leave}`,
    ],
    added: summaries.map((summary) => addToSummary(summary, { summaries, table, time, leave })),
    left: [sql`DELETE FROM ${sql.raw(table)} WHERE ${leave}`],
    counted: [sql`UPDATE ${programState} SET ${names(programState.version)} = ${programState.version} + 1`],
    moved: [moveScan(from, end)],
  });
  return { ...end, sealed: ids.length, bytes: size };
}

/** Adds the events that leave to their summaries. A summary has the time of its newest event. */
function addToSummary(
  { by, filter = "true", sums, grew }: Summary,
  { summaries, table, time, leave }: Pick<SealedKind, "summaries" | "table" | "time"> & { leave: SQL },
): SQL {
  const added = Object.values(sums);
  const values: Record<string, string> = {
    id: summaryId(summaries, (key) => (by.includes(key) ? key : "NULL")),
    ...Object.fromEntries(by.map((key) => [key, key])),
    ...Object.fromEntries(added.map((column) => [column, `sum(${column})`])),
    ...(grew !== undefined && { [grew]: "(SELECT version FROM program_state)" }),
    [time]: `max(${time})`,
  };
  const updates = [
    ...added.map((column) => `${column} = ${column} + excluded.${column}`),
    ...(grew === undefined ? [] : [`${grew} = excluded.${grew}`]),
    `${time} = max(${time}, excluded.${time})`,
  ];
  return sql`
    ${sql.raw(`INSERT INTO ${table} (${Object.keys(values)}) SELECT ${Object.values(values)} FROM ${table}`)}
    WHERE ${leave} AND ${sql.raw(`${filter} GROUP BY ${by}`)}
    ON CONFLICT (id) DO UPDATE SET ${sql.raw(updates.join(", "))}`;
}

/** Moves a scan, unless it has changed since it was read: by a new month, another run, or time travel of the database. */
function moveScan(from: ScanProgress, { lastId, isOver }: { lastId: string; isOver: boolean }): Statement {
  const { kind, month, last_id, is_over, moved_at } = historyScans;
  return sql`UPDATE ${historyScans}
    SET ${names(last_id)} = ${lastId}, ${names(is_over)} = ${isOver ? 1 : 0}, ${names(moved_at)} = ${NOW}
    WHERE ${kind} = ${from.kind} AND ${month} = ${from.month} AND ${last_id} = ${from.lastId}`;
}
