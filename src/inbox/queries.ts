import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { NOW } from "../db/clock.ts";
import { compileOnce, type Database, type RowOf, type Statement, type Value } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { limitTo } from "../db/limit.ts";
import { names, returning, select } from "../db/select.ts";
import { feedVersion, listeners, messageClock, messageGroupNews, outbox } from "../db/tables/index.ts";
import { customerKeyOf } from "../domain/customers.ts";
import type { ChangeKind } from "./frames.ts";

/** A row of the outbox: the feed request of this version changed something that concerns these listeners. */
export interface Change {
  version: number;
  kind: ChangeKind;
  /** Their ids: those of a group's members, or one. */
  customers: readonly string[];
}

/** Changes of which inboxes are to be notified, and how long the newest messages are not shown yet. */
export interface Changes {
  changes: Change[];
  /** Milliseconds until the second of the newest messages is over, by D1's clock; 0: all are shown. */
  messageWaitMs: number;
}

const LISTENS_HOURS = 24;
const RENEWS_BELOW_HOURS = { poll: LISTENS_HOURS / 2, socket: LISTENS_HOURS - 1 };
/** A report counts only where the customer listens for longer than it is trusted. */
const REPORTS_FROM_HOURS = 1;
/** How often an inbox with sockets looks after its row: time travel of the database may have taken it away. */
export const RENEW_AFTER_MS = 3_600_000;

const listen = compileOnce(
  (value: Value<"customerId" | "atLeast">) => sql`
    INSERT INTO ${listeners} (${names(listeners.customerId, listeners.until)})
    SELECT ${value("customerId")}, datetime(now, ${sql.raw(`'+${LISTENS_HOURS} hours'`)}) FROM clock WHERE true
    ON CONFLICT (${names(listeners.customerId)}) DO UPDATE SET ${names(listeners.until)} = excluded.until
    WHERE ${listeners.until} < (SELECT datetime(now, ${value("atLeast")}) FROM clock)`,
);

/** Makes the customer a listener for 24 hours, unless they are one for half of that (a poll) or 23 hours (a socket). */
function listenFor(customerId: string, by: "poll" | "socket"): Statement {
  return listen({ customerId, atLeast: `+${RENEWS_BELOW_HOURS[by]} hours` });
}

/** For a poll that found that it is due, or a socket that is open. */
export async function renewListening(db: Database, customerId: string, by: "poll" | "socket"): Promise<void> {
  await db.batch([listenFor(customerId, by)]);
}

/** For a socket that is to open. Resolves with a message of theirs that is not shown yet: nobody may be notified of it. */
export async function beginListening(db: Database, customerId: string): Promise<UnshownMessages | null> {
  const [, [unshown]] = await db.batch([listenFor(customerId, "socket"), selectUnshownOf({ customerId })]);
  return unshown ?? null;
}

/** Messages that are stored, but not shown before a later stamp is taken. */
export interface UnshownMessages {
  stamp: string;
  /** Milliseconds until their second is over, by D1's clock: then that stamp can be taken. */
  waitMs: number;
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

/** The time of the customer's newest message, shown or not. */
const newestAt = (customerId: Placeholder) => sql<string | null>`(
  SELECT ${messageGroupNews.newestAt} FROM ${messageGroupNews}
  WHERE ${messageGroupNews.customerKey} = ${customerKeyOf(customerId)}
  ORDER BY ${messageGroupNews.newestAt} DESC LIMIT 1
)`;

const selectUnshownOf = compileOnce((value: Value<"customerId">) =>
  select(UNSHOWN, sql`FROM ${messageClock} WHERE ${newestAt(value("customerId"))} >= ${messageClock.stamp}`),
);

/** What a poll reads of a copy of the database beside the groups. */
export type News = RowOf<ReturnType<typeof selectNews>>;

/**
 * The copy's feed version and last stamp, the time of the customer's newest message, shown or not, and for how many hours
 * they are a listener.
 */
export const selectNews = compileOnce((value: Value<"customerId">) =>
  select(
    {
      version: feedVersion.version,
      stamp: messageClock.stamp,
      newestAt: sql<string>`coalesce(${newestAt(value("customerId"))}, '')`,
      listensHours: sql<number>`coalesce((
        SELECT (unixepoch(${listeners.until}) - unixepoch(clock.now)) / 3600.0 FROM ${listeners} CROSS JOIN clock
        WHERE ${listeners.customerId} = ${value("customerId")}
      ), 0)`,
    },
    sql`FROM ${feedVersion} CROSS JOIN ${messageClock}`,
  ),
);

/**
 * Whether what a poll has read may be reported. If this copy has the listener's row, every later commit has it too, and
 * notifies the inbox (docs/architecture.md, Inboxes).
 */
export function mayReport({ listensHours }: News): boolean {
  return listensHours >= REPORTS_FROM_HOURS;
}

/** Whether a poll is to write down that its customer listens. */
export function isRenewalDue({ listensHours }: News): boolean {
  return listensHours < RENEWS_BELOW_HOURS.poll;
}

/**
 * Counts a feed request that commits. It comes first in its transaction, so that the outbox knows the version. Once one
 * was no restore, no more restores are taken.
 */
export function countFeed(restores: boolean) {
  const { version, restorable } = feedVersion;
  const isLive = restores ? sql`` : sql`, ${names(restorable)} = 0`;
  return returning(sql`UPDATE ${feedVersion} SET ${names(version)} = ${version} + 1 ${isLive}`, { version });
}

// No feed request, and no turn of the schedule, reads more of the outbox.
const CHANGES_AT_ONCE = 500;

/**
 * The changes of the request that has just been counted: in its own transaction, after its writes. Messages come first,
 * because polls depend on them.
 */
export const selectChanges = () =>
  selectOutbox(
    sql`${outbox.version} = (SELECT ${feedVersion.version} FROM ${feedVersion})`,
    sql`${outbox.changeKind} DESC, ${outbox.customers} DESC`,
  );

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
 * The changes in the outbox, or those older than one that was read before, newest first: of requests that can no longer
 * be at work on them.
 */
export async function findChanges(db: Database, olderThan?: Change): Promise<Changes & { isLast: boolean }> {
  const { version, changeKind, customers, storedAt } = outbox;
  const isLeft = sql`${storedAt} < (SELECT datetime(now, '-5 seconds') FROM clock)`;
  const isOlder = olderThan && sql`AND ${KEY} < (${sql.join(keyOf(olderThan), sql`, `)})`;
  const newestFirst = sql`${version} DESC, ${changeKind} DESC, ${customers} DESC`;
  const rows = await db.all(selectOutbox(sql`${isLeft} ${isOlder ?? sql``}`, newestFirst));
  return { ...toChanges(rows), isLast: rows.length < CHANGES_AT_ONCE };
}

const KEY = sql`(${outbox.version}, ${outbox.changeKind}, ${outbox.customers})`;

function selectOutbox(which: SQL, order: SQL) {
  const { version, changeKind: kind, customers } = outbox;
  return select(
    { version, kind, customers, messageWaitMs: MESSAGE_WAIT },
    sql`FROM ${outbox} WHERE ${which} ORDER BY ${order} ${limitTo(CHANGES_AT_ONCE)}`,
  );
}

export function toChanges(rows: readonly RowOf<ReturnType<typeof selectOutbox>>[]): Changes {
  const changes = rows.map(({ version, kind, customers }) => ({ version, kind, customers: JSON.parse(customers) }));
  return { changes, messageWaitMs: rows[0]?.messageWaitMs ?? 0 };
}

function keyOf({ version, kind, customers }: Change): [version: number, kind: ChangeKind, customers: string] {
  return [version, kind, JSON.stringify(customers)];
}

/** Takes changes out of the outbox of which all listeners have been notified. */
export async function removeChanges(db: Database, changes: readonly Change[]): Promise<void> {
  await db.steps({
    removed: joinRows(changes.map((change) => JSON.stringify(keyOf(change)))).map(
      (text) => sql`DELETE FROM ${outbox} WHERE ${KEY} IN (
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${text})
      )`,
    ),
  });
}

/**
 * Ends what nobody needs any more after an hour. No report from before a message is trusted then, even one of a replica
 * that lagged by half an hour, so every inbox asks D1; coupons and balances concern open apps only.
 */
export async function removeOutdatedChanges(db: Database): Promise<void> {
  await db.steps({
    removed: [sql`DELETE FROM ${outbox} WHERE ${outbox.storedAt} < (SELECT datetime(now, '-1 hour') FROM clock)`],
  });
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
