import { type SQL, sql } from "drizzle-orm";
import { customerKeyOf } from "../customers/queries.ts";
import { compileOnce, type Database, type Statement } from "../db/database.ts";
import { limitTo } from "../db/limit.ts";
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
const RENEWED_AT_HOURS = LISTENS_HOURS / 2;
/** When an object with sockets is to renew its row. */
export const RENEW_AFTER_MS = RENEWED_AT_HOURS * 3_600_000;

/** Makes the customer a listener for 24 hours, unless they are one for half of that or more. */
export function keepListening(customerId: string): Statement {
  return listen({ customerId, atLeast: `+${RENEWED_AT_HOURS} hours` });
}

/**
 * Makes the customer a listener for 24 hours from now. Where a message of theirs is stored, but its second is not over,
 * it resolves with the milliseconds until it is shown: that message may have been told to nobody. Else null.
 */
export async function beginListening(db: Database, customerId: string): Promise<number | null> {
  const [, unshown = []] = await db.batch([
    listen({ customerId, atLeast: `+${LISTENS_HOURS} hours` }),
    readUnshown({ customerId }),
  ]);
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

/**
 * What is left in the outbox after a change, or from the beginning, oldest first: of requests that can no longer be
 * telling it themselves.
 */
export async function findUntold(db: Database, after: Change | undefined): Promise<Changes> {
  const isLeft = sql`outbox.stored_at < (SELECT datetime(now, '-5 seconds') FROM clock)`;
  const which = after === undefined ? isLeft : sql`${isLeft} AND ${isAfter(after)}`;
  return toChanges(await db.all(selectOutbox(which, sql`version, what, customers`)));
}

function isAfter({ version, what, customers }: Change): SQL {
  return sql`(version, what, customers) > (${version}, ${what}, ${JSON.stringify(customers)})`;
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

// A hundred ids of 64 letters each have at most 26 KB.
const CHANGES_A_PARAMETER = 25;

/** Takes changes out of the outbox whose listeners have all been told. */
export async function forgetChanges(db: Database, told: readonly Change[]): Promise<void> {
  const parts = Array.from({ length: Math.ceil(told.length / CHANGES_A_PARAMETER) }, (_, index) =>
    told.slice(index * CHANGES_A_PARAMETER, (index + 1) * CHANGES_A_PARAMETER),
  );
  await db.steps({
    forgotten: parts.map((part) => {
      const rows = part.map(({ version, what, customers }) => [version, what, JSON.stringify(customers)]);
      return sql`DELETE FROM outbox WHERE (version, what, customers) IN (
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${JSON.stringify(rows)})
      )`;
    }),
  });
}

// By then every report from before is too old to be trusted, and an app has polled: telling it serves nobody.
const OUTDATED_HOURS = 1;
const LISTENERS_AT_ONCE = 10_000;

/** Ends what nobody needs any more: changes that could not be told for an hour. */
export async function forgetOutdated(db: Database): Promise<void> {
  const limit = sql.raw(`'-${OUTDATED_HOURS} hours'`);
  await db.steps({
    forgotten: [sql`DELETE FROM outbox WHERE stored_at < (SELECT datetime(now, ${limit}) FROM clock)`],
  });
}

/** Removes customers who have not listened for a day, and says how many. */
export async function removeFormerListeners(db: Database): Promise<number> {
  for (let removed = 0; ; ) {
    const { former } = await db.steps({
      former: [
        sql`DELETE FROM listeners WHERE customer_id IN (
          SELECT customer_id FROM listeners WHERE until < (SELECT now FROM clock) ${limitTo(LISTENERS_AT_ONCE)}
        ) RETURNING 1`,
      ],
    });
    removed += former.length;
    if (former.length < LISTENERS_AT_ONCE) return removed;
  }
}
