import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { updateNewestMessages } from "../../db/derived/newest-messages.ts";
import { messages } from "../../db/tables/index.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind, type Kind } from "./kind.ts";
import { MESSAGE_GROUPS, noMember } from "./message-group.ts";

export const message = defineKind(messages, {
  record: "message",
  fields: z.object({ id: Id, group_id: Id, customer_id: Id, body: LongText, sent_at: orNull(Datetime) }),
  columns: {
    id: "id",
    groupKey: { key: "group_id" },
    customerKey: { key: "customer_id" },
    body: "body",
    sentAt: "sent_at",
  },
  references: { group_id: MESSAGE_GROUPS, customer_id: CUSTOMERS },
  uses: ["sent_at"],
  faults: [noMember("message")],
  ...writtenAt(timeOrStamp, sql`EXISTS (SELECT 1 FROM message)`),
});

/** A message as it was (docs/contract/restore.md, 2): at its time, from whoever is a member no longer. */
export const restoredMessage: Kind = {
  ...message,
  faults: [],
  ...writtenAt(timeGiven, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`),
};

/** Writes messages at times that depend on `sent_at`. A stamp is taken first, because the times depend on it too. */
function writtenAt(timeOf: (sentAt: string) => string, needsStamp: SQL) {
  return {
    write: (lines: SQL) => [
      sql`
        INSERT INTO messages (id, group_key, customer_key, body, sent_at)
        SELECT line.id, line.group_key, line.customer_key, line.body, ${sql.raw(timeOf("line.sent_at"))}
        FROM ${lines} AS line WHERE true ORDER BY position
        ON CONFLICT (id) DO NOTHING RETURNING 1`,
    ],
    totals: (fresh: SQL) => [takeStamp(fresh, needsStamp), updateNewestMessages(fresh, sql.raw(timeOf("sent_at")))],
  };
}

function takeStamp(fresh: SQL, when: SQL): SQL {
  return sql`${fresh}
    UPDATE message_clock SET stamp = max(clock.now, datetime(stamp, '+1 second')), clock_said = clock.now
    FROM clock
    WHERE message_clock.clock_said <> clock.now AND ${when}`;
}

/**
 * The time of a message: what its line says, where that is history, more than an hour old; else the stamp of the
 * request (docs/contract/interface.md, 4.2).
 */
function timeOrStamp(sentAt: string): string {
  const history = `${sentAt} < (SELECT datetime(clock_said, '-1 hour') FROM message_clock)`;
  return `iif(${history}, ${sentAt}, (SELECT stamp FROM message_clock))`;
}

function timeGiven(sentAt: string): string {
  return `coalesce(${sentAt}, (SELECT stamp FROM message_clock))`;
}
