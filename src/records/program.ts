import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { byDatabase, bySql, key } from "../db/columns.ts";
import type { Fault } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { NOW } from "../db/select.ts";
import { Count } from "../values/number.ts";
import { FedTime } from "../values/time.ts";
import { messageGroups } from "./message-group.ts";

/** The field, or what is stored if that is greater: the horizon never moves back. */
const greater = (name: string) => sql.raw(`max(line.${name}, (SELECT ${name} FROM program_state))`);

/**
 * The clock of messages, and the horizon. A restore sets them, so that new messages are later than all messages that were
 * shown, and no event that was added up is fed again.
 */
export const program = state(
  "program",
  "program_state",
  {
    id: key(bySql(integer().primaryKey(), {}, sql`1`)),
    /** How many transactions have changed what an export gives, and feed requests. */
    version: byDatabase(integer().notNull().default(0)),
    /** The lines of the journal up to this version are no longer kept. */
    changes_removed: byDatabase(integer().notNull().default(0)),
    /** The last act of a till or a customer (acts.ts). */
    act: byDatabase(text().notNull().default("")),
    /** Tells this database from all others. */
    database_id: byDatabase(text().notNull().default("")),
    /** 1: restores are taken, because nothing but restores was committed. */
    restorable: byDatabase(integer().notNull().default(1)),
    /** The last stamp taken. */
    stamp: bySql(
      text().notNull(),
      { message_stamp: FedTime.describe("The time of the newest messages.") },
      sql`line.message_stamp`,
    ),
    /** The time by D1's clock when it was taken. */
    clock_said: bySql(
      text().notNull(),
      { message_clock_said: FedTime.describe("The time by the database's clock when it gave `message_stamp`.") },
      sql`line.message_clock_said`,
    ),
    /** The feed refuses events from before this time, because they may be added up. */
    horizon: bySql(
      text().notNull(),
      { horizon: FedTime.describe("Events from before this time are refused.") },
      greater("horizon"),
    ),
    /** How many steps have added up and deleted events. */
    retention_steps: bySql(
      integer().notNull(),
      { retention_steps: Count.describe("How often old events were added up and deleted.") },
      greater("retention_steps"),
    ),
    /** 1: messages may have this stamp, and wait for the next stamp (docs/architecture.md, The clock). */
    is_open: bySql(
      integer().notNull(),
      {},
      sql`EXISTS (SELECT 1 FROM ${messageGroups} WHERE ${messageGroups.newest_at} >= line.message_stamp)`,
    ),
  },
  {
    isPermanent: true,
    check: [inTheFuture("message_stamp"), inTheFuture("message_clock_said"), inTheFuture("horizon")],
    moreLineFields: ["message_stamp", "message_clock_said", "horizon"],
  },
);
export const programState = program.table;

/** The stamp after the last one. It never goes back, even if D1's clock does. */
export const NEXT_STAMP = sql`max(clock.now, datetime(${programState.stamp}, '+1 second'))`;

/**
 * A restored time is in the future. The next stamp, and the oldest event that is taken, follow from such times: after a time
 * in the year 9999, no message could be stored.
 */
export function inTheFuture(field: string): Fault {
  const when = sql`line.${sql.raw(field)} > datetime(${NOW}, '+1 minute')`;
  return { field, text: "must not be more than a minute in the future", when };
}
