import { type SQL, sql } from "drizzle-orm";
import { NOW } from "../db/clock.ts";
import { compileOnce, type Database, type RowOf, type Value } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { limitTo } from "../db/limit.ts";
import { names, returning, select } from "../db/select.ts";
import { feedVersion, listeners, messageClock, messageGroupNews, outbox } from "../db/tables/index.ts";
import { customerKeyOf } from "../domain/customers.ts";
import type { ChangeKind } from "./frames.ts";

/** A row of the outbox: the feed request of this version changed something that concerns these listeners. */
export interface Change {
  version: number;
  kind: ChangeKind | "erased";
  /** Their ids: those of a group's members, or one. */
  customers: readonly string[];
  /** The time of the newest message that it is about; empty where it is about none. */
  newestAt: string;
  storedAt: string;
}

/** Changes of which inboxes are to be notified. */
export interface Changes {
  changes: Change[];
  /** When the newest messages are shown, in milliseconds since 1970 by this Worker's clock; 0: all are. */
  shownAt: number;
}

/**
 * A listener is one for a day. Subscriptions hold for an hour, so one that finds less than two left renews it: the second
 * is for clocks that differ, and for sockets whose next renewal fails.
 */
const LISTENS_HOURS = 24;
const RENEWED_BELOW_HOURS = 2;

const listen = compileOnce(
  (value: Value<"customerId">) => sql`
    INSERT INTO ${listeners} (${names(listeners.customerId, listeners.until)})
    SELECT ${value("customerId")}, datetime(now, ${hours(LISTENS_HOURS)}) FROM clock WHERE true
    ON CONFLICT (${names(listeners.customerId)}) DO UPDATE SET ${names(listeners.until)} = excluded.until
    WHERE ${listeners.until} < (SELECT datetime(now, ${hours(RENEWED_BELOW_HOURS)}) FROM clock)`,
);

function hours(count: number): SQL {
  return sql.raw(`'+${count} hours'`);
}

/**
 * Makes the customer a listener, at the primary, and resolves with the time of their newest message, shown or not; empty:
 * they have none. And with messages that are not shown yet, if that is one of them: nobody may be notified of it.
 */
export async function beginListening(
  db: Database,
  customerId: string,
): Promise<{ newestAt: string; unshown: UnshownMessages | null }> {
  const [, [read]] = await db.batch([listen({ customerId }), selectNewest({ customerId })]);
  if (read === undefined) throw new Error("The database has no message clock.");
  const { newestAt, isOpen, ...unshown } = read;
  return { newestAt, unshown: isOpen === 1 && newestAt >= unshown.stamp ? toUnshown(unshown) : null };
}

/** Messages that are stored, but not shown before a later stamp is taken. */
export interface UnshownMessages {
  stamp: string;
  /** When their second is over, and that stamp can be taken: in milliseconds since 1970 by this Worker's clock. */
  shownAt: number;
}

/** Right after D1 has answered. */
export function toUnshown({ stamp, waitMs }: { stamp: string; waitMs: number }): UnshownMessages {
  return { stamp, shownAt: Date.now() + waitMs };
}

/** How many milliseconds remain of the second of messages that are not shown, by D1's clock; 0 where there are none. */
const MESSAGE_WAIT = sql<number>`coalesce((
  SELECT max(0, (unixepoch(${messageClock.clockSaid}) + 1 - unixepoch(clock.now)) * 1000 - clock.millisecond)
  FROM clock CROSS JOIN ${messageClock} WHERE ${messageClock.isOpen} = 1
), 0)`;

const UNSHOWN = { stamp: messageClock.stamp, waitMs: MESSAGE_WAIT };

/** The messages that are not shown, in the transaction of a feed request that stores some. */
export const selectUnshown = () => select(UNSHOWN, sql`FROM ${messageClock} WHERE ${messageClock.isOpen} = 1`);

/** Whether there are messages that are not shown though their second is over. */
const IS_SHOWING_DUE = sql`${messageClock.isOpen} = 1 AND ${messageClock.clockSaid} <> clock.now`;

/**
 * Takes the stamp that shows the messages of the last one, once their second is over. Resolves with the last stamp then:
 * messages before it are shown.
 */
export async function showMessages(db: Database): Promise<string> {
  const { stamp, clockSaid, isOpen } = messageClock;
  const [, [last]] = await db.batch([
    sql`UPDATE ${messageClock} SET ${names(stamp)} = max(clock.now, datetime(${stamp}, '+1 second')),
        ${names(clockSaid)} = clock.now, ${names(isOpen)} = 0
      FROM clock WHERE ${IS_SHOWING_DUE}`,
    select({ stamp }, sql`FROM ${messageClock}`),
  ]);
  return last?.stamp ?? "";
}

/** The time of the customer's newest message, shown or not, and what `UNSHOWN` says. */
const selectNewest = compileOnce((value: Value<"customerId">) =>
  select(
    {
      newestAt: sql<string>`coalesce((
        SELECT ${messageGroupNews.newestAt} FROM ${messageGroupNews}
        WHERE ${messageGroupNews.customerKey} = ${customerKeyOf(value("customerId"))}
        ORDER BY ${messageGroupNews.newestAt} DESC LIMIT 1
      ), '')`,
      isOpen: messageClock.isOpen,
      ...UNSHOWN,
    },
    sql`FROM ${messageClock}`,
  ),
);

/**
 * Counts a feed request that commits. It comes first in its transaction, because the outbox takes the version, and whether
 * this is a restore. Once one was none, no more restores are taken.
 */
export function countFeed(restores: boolean) {
  const { version, restorable } = feedVersion;
  const isLive = restores ? sql`` : sql`, ${names(restorable)} = 0`;
  return returning(sql`UPDATE ${feedVersion} SET ${names(version)} = ${version} + 1 ${isLive}`, { version });
}

// What a Worker holds at once.
const LISTENERS_A_PAGE = 10_000;

/** The changes of the request that has just been counted, in its own transaction, after its writes. */
export const selectChanges = () =>
  selectOutbox(sql`${outbox.version} = (SELECT ${feedVersion.version} FROM ${feedVersion})`);

/** What waits in an outbox. */
export interface Backlog {
  /** How many changes, counted up to 10,000. */
  waiting: number;
  /** How long the oldest of them has waited. */
  oldestSeconds: number;
}

const COUNTED_AT_MOST = 10_000;

/**
 * What waits in the outbox, and whether messages are not shown though their second is over. Mostly neither, and then this
 * is all that the schedule asks.
 */
export async function findWork(db: Database): Promise<Backlog & { hasUnshown: 0 | 1 }> {
  const [work] = await db.all(
    select(
      {
        waiting: sql<number>`count(*)`,
        oldestSeconds: sql<number>`coalesce(unixepoch(${NOW}) - unixepoch(min(${outbox.storedAt})), 0)`,
        hasUnshown: sql<0 | 1>`EXISTS (
          SELECT 1 FROM clock CROSS JOIN ${messageClock} WHERE ${IS_SHOWING_DUE}
        )`,
      },
      sql`FROM (
        SELECT ${outbox.storedAt} FROM ${outbox} ORDER BY ${outbox.version} ${limitTo(COUNTED_AT_MOST)}
      ) AS ${outbox}`,
    ),
  );
  return work ?? { waiting: 0, oldestSeconds: 0, hasUnshown: 0 };
}

/**
 * The changes in the outbox, or those older than one that was read before: of requests that can no longer be at work on
 * them, which they are for 15 seconds. Those of at most 10,000 listeners; none: there are no more.
 */
export async function findChanges(db: Database, olderThan?: Change): Promise<Changes> {
  const isLeft = sql`${outbox.storedAt} < (SELECT datetime(now, '-20 seconds') FROM clock)
    AND ${outbox.storedAt} >= ${HOUR_AGO}`;
  const isOlder = olderThan && sql`AND ${KEY} < (${sql.join(keyOf(olderThan), sql`, `)})`;
  return toChanges(await db.all(selectOutbox(sql`${isLeft} ${isOlder ?? sql``}`)));
}

const HOUR_AGO = sql`(SELECT datetime(now, '-1 hour') FROM clock)`;

const KEY = sql`(${outbox.version}, ${outbox.changeKind}, ${outbox.customers})`;

/** The newest come first, and of one request messages, because polls depend on them. */
function selectOutbox(which: SQL) {
  const { version, changeKind: kind, customers, newestAt, storedAt } = outbox;
  const columns = names(version, kind, customers, newestAt, storedAt);
  const newestFirst = sql`ORDER BY ${version} DESC, ${kind} DESC, ${customers} DESC`;
  return select(
    { version, kind, customers, newestAt, storedAt, messageWaitMs: MESSAGE_WAIT },
    sql`FROM (
      SELECT ${columns}, sum(json_array_length(${customers})) OVER (${newestFirst}) AS listeners
      FROM (SELECT ${columns} FROM ${outbox} WHERE ${which} ${newestFirst} ${limitTo(LISTENERS_A_PAGE)}) AS ${outbox}
    ) AS ${outbox} WHERE listeners <= ${LISTENERS_A_PAGE} ${newestFirst}`,
  );
}

/** Right after D1 has answered. */
export function toChanges(rows: readonly RowOf<ReturnType<typeof selectOutbox>>[]): Changes {
  const changes = rows.map(({ messageWaitMs: _, customers, ...row }) => ({ ...row, customers: JSON.parse(customers) }));
  const waitMs = rows[0]?.messageWaitMs ?? 0;
  return { changes, shownAt: waitMs === 0 ? 0 : Date.now() + waitMs };
}

function keyOf({ version, kind, customers }: Change): [version: number, kind: Change["kind"], customers: string] {
  return [version, kind, JSON.stringify(customers)];
}

/**
 * Takes listeners who have been notified out of the outbox, and resolves with how many changes have none left. Two changes
 * of a request may come down to the same listeners: then they are one change, of the newer message.
 */
export async function removeNotified(
  db: Database,
  changes: readonly Change[],
  isNotified: (change: Change, customerId: string) => boolean,
): Promise<number> {
  const rests = changes.map((one) => ({ ...one, customers: one.customers.filter((id) => !isNotified(one, id)) }));
  const isTouched = (_: unknown, index: number) => rests[index]?.customers.length !== changes[index]?.customers.length;
  const left = rests.filter(isTouched).filter(({ customers }) => customers.length > 0);
  const { version, changeKind, customers, newestAt, storedAt } = outbox;
  await db.steps({
    removed: textsOf(changes.filter(isTouched)).map(
      (text) => sql`DELETE FROM ${outbox} WHERE ${KEY} IN (
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${text})
      )`,
    ),
    left: textsOf(left).map(
      (text) => sql`INSERT INTO ${outbox} (${names(version, changeKind, customers, newestAt, storedAt)})
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${text}) WHERE true
        ON CONFLICT (${names(version, changeKind, customers)})
        DO UPDATE SET ${names(newestAt)} = max(excluded.newest_at, ${newestAt})`,
    ),
  });
  return rests.filter(({ customers }) => customers.length === 0).length;
}

function textsOf(changes: readonly Change[]): string[] {
  return joinRows(changes.map((change) => JSON.stringify([...keyOf(change), change.newestAt, change.storedAt])));
}

const OUTDATED_AT_ONCE = 10_000;

/**
 * Drops what is an hour old, the oldest first, and resolves with whether that was all: by then each inbox has subscribed
 * anew; coupons and balances concern open apps only.
 */
export async function removeOutdatedChanges(db: Database): Promise<boolean> {
  const { version, changeKind, customers } = outbox;
  const { outdated } = await db.steps({
    outdated: [
      sql`DELETE FROM ${outbox} WHERE ${KEY} IN (
        SELECT ${names(version, changeKind, customers)} FROM (
          SELECT * FROM ${outbox} ORDER BY ${version}, ${changeKind}, ${customers} ${limitTo(OUTDATED_AT_ONCE)}
        ) AS ${outbox} WHERE ${outbox.storedAt} < ${HOUR_AGO}
      ) RETURNING 1`,
    ],
  });
  return outdated.length < OUTDATED_AT_ONCE;
}

const LISTENERS_AT_ONCE = 10_000;

/** Removes customers who have not listened for a day, and says how many, and whether these were all. */
export async function removeFormerListeners(db: Database): Promise<{ removed: number; isDone: boolean }> {
  const { former } = await db.steps({
    former: [
      sql`DELETE FROM ${listeners} WHERE ${listeners.customerId} IN (
        SELECT ${listeners.customerId} FROM ${listeners} WHERE ${listeners.until} < ${NOW} ${limitTo(LISTENERS_AT_ONCE)}
      ) RETURNING 1`,
    ],
  });
  return { removed: former.length, isDone: former.length < LISTENERS_AT_ONCE };
}
