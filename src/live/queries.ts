import { type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database, type Statement } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { limitTo } from "../db/limit.ts";
import { customerKeyOf } from "../domain/customers.ts";
import type { What } from "./frames.ts";

/** What an outbox row says: a feed of this version changed something of these listeners. */
export interface Change {
  version: number;
  what: What;
  /** Their ids: those of a group's members, or one. */
  customers: readonly string[];
}

/** Changes that inboxes are to be told of, and how long the newest messages are not shown yet. */
export interface Changes {
  changes: Change[];
  /** Milliseconds until the second of the newest messages is over, by D1's clock. */
  messageWaitMs: number;
}

const LISTENS_HOURS = 24;
const POLL_RENEWS_BELOW_HOURS = LISTENS_HOURS / 2;
const SOCKET_RENEWS_BELOW_HOURS = LISTENS_HOURS - 1;
/** An inbox with sockets looks after its row so often: time travel of the database may have taken it away. */
export const RENEW_AFTER_MS = 3_600_000;

/** For a poll: makes the customer a listener for 24 hours, unless they are one for half of that or more. */
export function keepListening(customerId: string): Statement {
  return listen({ customerId, atLeast: `+${POLL_RENEWS_BELOW_HOURS} hours` });
}

/** For a socket that is open: the same, unless they are one for 23 hours or more. */
export async function renewListening(db: Database, customerId: string): Promise<void> {
  await db.batch([listen({ customerId, atLeast: `+${SOCKET_RENEWS_BELOW_HOURS} hours` })]);
}

/**
 * The same for a socket that is to open. Where a message of theirs is stored, but its second is not over, it resolves
 * with the milliseconds until it is shown: that message may have been told to nobody. Else null.
 */
export async function beginListening(db: Database, customerId: string): Promise<number | null> {
  const [, unshown = []] = await db.batch([
    listen({ customerId, atLeast: `+${SOCKET_RENEWS_BELOW_HOURS} hours` }),
    readUnshown({ customerId }),
  ]);
  return unshown[0] === undefined ? null : Number(unshown[0].milliseconds);
}

/**
 * What `beginListening` resolves with, for a customer who is a listener already, and until their inbox is to renew that:
 * nothing is written. Undefined for anybody else.
 */
export async function goOnListening(db: Database, customerId: string): Promise<number | null | undefined> {
  const seconds = `+${RENEW_AFTER_MS / 1_000} seconds`;
  const [listens = [], unshown = []] = await db.batch([
    sql`SELECT 1 AS one FROM listeners
      WHERE customer_id = ${customerId} AND until >= (SELECT datetime(now, ${seconds}) FROM clock)`,
    readUnshown({ customerId }),
  ]);
  if (listens.length === 0) return undefined;
  return unshown[0] === undefined ? null : Number(unshown[0].milliseconds);
}

const readUnshown = compileOnce<"customerId">(
  (value) => sql`
    SELECT milliseconds FROM message_wait
    WHERE (
      SELECT newest_at FROM message_group_news WHERE customer_key = ${customerKeyOf(value("customerId"))}
      ORDER BY newest_at DESC LIMIT 1
    ) >= (SELECT at FROM message_horizon)`,
);

const listen = compileOnce<"customerId" | "atLeast">(
  (value) => sql`
    INSERT INTO listeners (customer_id, until)
    SELECT ${value("customerId")}, datetime(now, ${sql.raw(`'+${LISTENS_HOURS} hours'`)}) FROM clock WHERE true
    ON CONFLICT (customer_id) DO UPDATE SET until = excluded.until
    WHERE listeners.until < (SELECT datetime(now, ${value("atLeast")}) FROM clock)`,
);

/** What a report says of the database: its version, and the time of the customer's newest message, shown or not. */
export const readNews = compileOnce<"customerId">(
  (value) => sql`
    SELECT version, coalesce((
      SELECT newest_at FROM message_group_news WHERE customer_key = ${customerKeyOf(value("customerId"))}
      ORDER BY newest_at DESC LIMIT 1
    ), '') AS newestAt
    FROM feed_version`,
);

/**
 * Counts a feed request that commits. It comes first in its transaction, so that the outbox knows the version. Once one
 * was no restore, no more restores are taken.
 */
export const countFeed = (restores: boolean): Statement =>
  sql`UPDATE feed_version SET version = version + 1 ${sql.raw(restores ? "" : ", restorable = 0")} RETURNING version`;

// One request or turn reads no more of the outbox.
const CHANGES_AT_ONCE = 500;

/**
 * What the request that has just been counted changed for listeners: in its own transaction, after its writes. Messages
 * come first, because polls depend on them.
 */
export const selectChanges = (): Statement =>
  selectOutbox(sql`outbox.version = (SELECT version FROM feed_version)`, sql`what DESC, customers DESC`);

/** Whether the outbox has anything at all. Mostly it is empty, and then this is all that the schedule asks. */
export async function hasUntold(db: Database): Promise<boolean> {
  return (await db.all(sql`SELECT 1 FROM outbox ${limitTo(1)}`)).length > 0;
}

/**
 * What is left in the outbox from before a change, or at all, newest first: of requests that can no longer be telling it
 * themselves.
 */
export async function findUntold(db: Database, before: Change | undefined): Promise<Changes & { isLast: boolean }> {
  const isLeft = sql`outbox.stored_at < (SELECT datetime(now, '-5 seconds') FROM clock)`;
  const which = before === undefined ? isLeft : sql`${isLeft} AND ${isBefore(before)}`;
  const untold = toChanges(await db.all(selectOutbox(which, sql`version DESC, what DESC, customers DESC`)));
  return { ...untold, isLast: untold.changes.length < CHANGES_AT_ONCE };
}

function isBefore({ version, what, customers }: Change): SQL {
  return sql`(version, what, customers) < (${version}, ${what}, ${JSON.stringify(customers)})`;
}

function selectOutbox(which: SQL, order: SQL): Statement {
  return sql`
    SELECT version, what, customers, (SELECT milliseconds FROM message_wait) AS messageWaitMs
    FROM outbox WHERE ${which} ORDER BY ${order} ${limitTo(CHANGES_AT_ONCE)}`;
}

export function toChanges(rows: readonly Record<string, unknown>[]): Changes {
  const typed = rows as unknown as { version: number; what: What; customers: string; messageWaitMs: number }[];
  return {
    changes: typed.map(({ version, what, customers }) => ({ version, what, customers: JSON.parse(customers) })),
    messageWaitMs: typed[0]?.messageWaitMs ?? 0,
  };
}

/** Takes changes out of the outbox whose listeners have all been told. */
export async function forgetChanges(db: Database, told: readonly Change[]): Promise<void> {
  const rows = told.map(({ version, what, customers }) => JSON.stringify([version, what, JSON.stringify(customers)]));
  await db.steps({
    forgotten: joinRows(rows).map(
      (text) => sql`DELETE FROM outbox WHERE (version, what, customers) IN (
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${text})
      )`,
    ),
  });
}

/**
 * Ends what nobody needs any more. After 30 minutes no report from before a message is trusted, so every inbox asks D1;
 * coupons and balances are told for an hour, to apps that are open.
 */
export async function forgetOutdated(db: Database): Promise<void> {
  await db.steps({
    forgotten: [
      sql`DELETE FROM outbox WHERE stored_at < (
        SELECT datetime(now, iif(outbox.what = 'messages', '-30 minutes', '-1 hour')) FROM clock
      )`,
    ],
  });
}

const LISTENERS_AT_ONCE = 10_000;

/** Removes customers who have not listened for a day, and says how many, and whether these were all. */
export async function removeFormerListeners(db: Database): Promise<{ removed: number; isDone: boolean }> {
  const { former } = await db.steps({
    former: [
      sql`DELETE FROM listeners WHERE customer_id IN (
        SELECT customer_id FROM listeners WHERE until < (SELECT now FROM clock) ${limitTo(LISTENERS_AT_ONCE)}
      ) RETURNING 1`,
    ],
  });
  return { removed: former.length, isDone: former.length < LISTENERS_AT_ONCE };
}
