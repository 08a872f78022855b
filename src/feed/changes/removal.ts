import { and, eq, gt, gte, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { named, query } from "../../db/query.ts";
import { fromNow, limitTo, pick, select } from "../../db/select.ts";
import { requests } from "../../db/tables.ts";
import { programState } from "../../records/program.ts";

const DEFAULT_DAYS = 30;
const DAYS = /^([1-9]\d?|[123]\d\d|400)$/;

/** The value of `CHANGES_DAYS`: for how many days the lines of changes are kept. Null: the value is wrong. */
export function daysOf(text: string): number | null {
  if (text === "") return DEFAULT_DAYS;
  return DAYS.test(text) ? Number(text) : null;
}

/** A batch that removes as many lines holds the database for some 20 ms. */
const ROWS_AT_ONCE = 2_000;

/**
 * Removes the next lines of changes that are older than `days`. The row of a customer's write leaves, the row of a till's stays
 * without its line (docs/contract/requests.md, 1). Whoever followed no further is told to start again. `isDone`: no older
 * line is left.
 */
export async function removeOldLines(db: Database, days: number): Promise<{ removed: number; isDone: boolean }> {
  const { version, source, line } = requests;
  const [batch] = await db.all(selectOldRows(days));
  if (batch?.last == null) return { removed: 0, isDone: true };
  const isOfBatch = and(gt(version, batch.first), lte(version, batch.last));
  // The row of the last version stays until the next batch, because a cursor may begin there.
  const mayLeave = and(gte(version, batch.first), lt(version, batch.last), eq(source, "customer"));
  const { emptied } = await db.write({
    emptied: [
      query
        .update(requests)
        .set({ line: null })
        .where(and(isOfBatch, isNotNull(line)))
        .returning(named(pick(requests, "version"))),
    ],
    left: [query.delete(requests).where(mayLeave)],
    moved: [query.update(programState).set({ changes_removed: batch.last })],
  });
  return { removed: emptied.length, isDone: batch.looked < ROWS_AT_ONCE };
}

/** The next rows of the journal that are old: after which version they begin, the last one, and how many they are. */
function selectOldRows(days: number) {
  const first = sql<number>`(SELECT ${programState.changes_removed} FROM ${programState})`;
  return select(
    { first, last: sql<number | null>`max(version)`, looked: sql<number>`count(*)` },
    sql`FROM (
      SELECT ${requests.version}, ${requests.at} FROM ${requests}
      WHERE ${requests.version} > ${first} ORDER BY ${requests.version} ${limitTo(ROWS_AT_ONCE)}
    ) WHERE at < ${fromNow(`-${days} days`)}`,
  );
}
