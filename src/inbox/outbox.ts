import { type SQL, sql } from "drizzle-orm";
import type { Database, RowOf } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { columnNames, fromNow, limitTo, NOW, select } from "../db/select.ts";
import { outbox } from "../db/tables.ts";
import { programState } from "../records/program.ts";
import { IS_SHOWING_DUE } from "./message-clock.ts";

type OutboxRow = RowOf<ReturnType<typeof selectOutbox>>;

/** A change by the feed request of this version. It concerns these listeners: members of a group, or one customer. */
export type Change = Omit<OutboxRow, "customers"> & { customers: readonly string[] };

// A Worker holds the ids of at most this many listeners in memory.
const LISTENERS_A_PAGE = 10_000;

/** The changes of the current feed request. It must have written them, and its version, in the same transaction. */
export const selectChanges = () =>
  selectOutbox(sql`${outbox.version} = (SELECT ${programState.version} FROM ${programState})`);

export type Backlog = RowOf<ReturnType<typeof selectBacklog>>;

const COUNTED_AT_MOST = 10_000;

/** Usually no change waits. Then the schedule sends only this query. */
export const selectBacklog = () =>
  select(
    {
      /** How many changes wait, counted up to 10,000. */
      waiting: sql<number>`count(*)`,
      /** How long the oldest of them has waited. */
      oldestSeconds: sql<number>`coalesce(unixepoch(${NOW}) - unixepoch(min(${outbox.stored_at})), 0)`,
      /** Whether messages are unshown although their second is over. */
      hasUnshown: sql<0 | 1>`EXISTS (SELECT 1 FROM clock CROSS JOIN ${programState} WHERE ${IS_SHOWING_DUE})`,
    },
    sql`FROM (
      SELECT ${outbox.stored_at} FROM ${outbox} ORDER BY ${outbox.version} ${limitTo(COUNTED_AT_MOST)}
    ) AS ${outbox}`,
  );

/**
 * The changes of at most 10,000 listeners, older than the change `olderThan`. Changes of the last 30 seconds are left out,
 * because a Worker notifies the listeners itself for 15 seconds, once their messages are shown.
 */
export async function findChanges(db: Database, olderThan?: Change): Promise<Change[]> {
  const waitingChanges = sql`${outbox.stored_at} < ${fromNow("-30 seconds")}
    AND ${outbox.stored_at} >= ${HOUR_AGO}`;
  const andOlder = olderThan && sql`AND (${KEY}) < (${sql.join(keyOf(olderThan), sql`, `)})`;
  return toChanges(await db.all(selectOutbox(sql`${waitingChanges} ${andOlder ?? sql``}`)));
}

const HOUR_AGO = fromNow("-1 hour");

const KEY = columnNames(outbox.version, outbox.topic, outbox.customers);

/** The newest request comes first. In a request messages come first, because polls depend on them. */
function selectOutbox(which: SQL) {
  const { version, topic, customers, newest_at, stored_at } = outbox;
  const columns = columnNames(version, topic, customers, newest_at, stored_at);
  const newestFirst = sql`ORDER BY ${version} DESC, ${topic} DESC, ${customers} DESC`;
  return select(
    // `newestAt`: the time of the newest message that the change is about; empty if it is about none.
    { version, topic, customers, newestAt: newest_at, storedAt: stored_at },
    sql`FROM (
      SELECT ${columns}, sum(json_array_length(${customers})) OVER (${newestFirst}) AS listeners
      FROM (SELECT ${columns} FROM ${outbox} WHERE ${which} ${newestFirst} ${limitTo(LISTENERS_A_PAGE)}) AS ${outbox}
    ) AS ${outbox} WHERE listeners <= ${LISTENERS_A_PAGE} ${newestFirst}`,
  );
}

export function toChanges(rows: readonly OutboxRow[]): Change[] {
  return rows.map((row) => ({ ...row, customers: JSON.parse(row.customers) }));
}

function keyOf({ version, topic, customers }: Change): [version: number, topic: Change["topic"], customers: string] {
  return [version, topic, JSON.stringify(customers)];
}

/**
 * Removes listeners who have been notified of these changes, and resolves with how many changes have no listener left. If
 * two changes of a request are left with the same listeners, they become one change, of the newer message. A slow Worker and
 * the schedule may do this for one change at once: whoever comes last may put back listeners whom the other has notified. They
 * are notified once more, which does no harm; nobody is forgotten.
 */
export async function removeNotified(db: Database, changes: readonly Change[], notified: ReadonlySet<string>) {
  let done = 0;
  const rows: string[] = [];
  for (const change of changes) {
    const unreached = change.customers.filter((customerId) => !notified.has(customerId));
    if (unreached.length === 0) done += 1;
    if (unreached.length === change.customers.length) continue;
    // 0 to 2: the key of the stored row; 3: the customers that are left; 4 and 5: the times.
    rows.push(JSON.stringify([...keyOf(change), unreached, change.newestAt, change.storedAt]));
  }
  const texts = joinRows(rows);
  const { newest_at, stored_at } = outbox;
  await db.write({
    removed: texts.map(
      (text) => sql`DELETE FROM ${outbox} WHERE (${KEY}) IN (
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${text})
      )`,
    ),
    left: texts.map(
      (text) => sql`INSERT INTO ${outbox} (${KEY}, ${columnNames(newest_at, stored_at)})
        SELECT value ->> 0, value ->> 1, value ->> 3, value ->> 4, value ->> 5 FROM json_each(${text})
        WHERE value ->> 3 <> '[]'
        ON CONFLICT (${KEY}) DO UPDATE SET ${columnNames(newest_at)} = max(excluded.newest_at, ${newest_at})`,
    ),
  });
  return done;
}

const OUTDATED_AT_ONCE = 10_000;

/**
 * Removes changes that are an hour old, the oldest first. Resolves with whether none are left. By then each inbox has
 * subscribed again, and changes of coupons and balances concern open apps only.
 */
export async function removeOutdatedChanges(db: Database): Promise<boolean> {
  const { outdated } = await db.write({
    outdated: [
      sql`DELETE FROM ${outbox} WHERE (${KEY}) IN (
        SELECT ${KEY} FROM ${outbox} WHERE ${outbox.stored_at} < ${HOUR_AGO} ORDER BY ${KEY} ${limitTo(OUTDATED_AT_ONCE)}
      ) RETURNING 1`,
    ],
  });
  return outdated.length < OUTDATED_AT_ONCE;
}
