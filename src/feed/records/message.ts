import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { updateNewestMessages } from "../../db/derived/newest-messages.ts";
import { messageGroups, messages } from "../../db/tables/index.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import type { Walk } from "./both-ways.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineEvent, type EventKind } from "./kind.ts";
import { MESSAGE_GROUPS, noMember } from "./message-group.ts";

export const message = defineEvent(messages, {
  record: "message",
  global: true,
  fields: z.object({ id: Id, group_id: Id, customer_id: Id, body: LongText, sent_at: orNull(Datetime) }),
  columns: {
    id: "id",
    groupKey: { key: "group_id" },
    customerKey: { key: "customer_id" },
    body: "body",
    sentAt: { sql: timeOf("line.sent_at"), field: "sent_at" },
  },
  readBack: { group_id: { sql: "message_groups.id" }, sent_at: { column: "sentAt" } },
  export: {
    // Restored in this order, the messages that a group shows are again the last of their seconds.
    walks: [
      {
        order: ["id"],
        join: "CROSS JOIN message_groups ON message_groups.key = messages.group_key",
        leftOut: "message_groups.id IS NULL OR messages.id IN (message_groups.earlier_id, message_groups.newest_id)",
      },
      lastOfGroups("earlier_id"),
      lastOfGroups("newest_id"),
    ],
    lines: 2_000,
  },
  references: { group_id: MESSAGE_GROUPS, customer_id: CUSTOMERS },
  uses: ["sent_at"],
  faults: [noMember("message")],
  totals: (fresh) => [
    takeStamp(fresh, sql`EXISTS (SELECT 1 FROM message)`),
    updateNewestMessages(fresh, sql.raw(timeOf("sent_at"))),
  ],
});

/** A message as it was (docs/contract/restore.md, 2): at its time, from whoever is a member no longer. */
export const restoredMessage: EventKind = {
  ...message,
  columns: { ...message.columns, sent_at: { sql: timeGiven("line.sent_at"), field: "sent_at" } },
  faults: [],
  totals: (fresh) => [
    takeStamp(fresh, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`),
    updateNewestMessages(fresh, sql.raw(timeGiven("sent_at"))),
  ],
};

function lastOfGroups(column: "earlier_id" | "newest_id"): Walk {
  return {
    table: messageGroups,
    order: ["key"],
    join: `LEFT JOIN messages ON messages.id = message_groups.${column}`,
    leftOut: "message_groups.id IS NULL OR messages.id IS NULL",
  };
}

/** Takes the stamp of a request: first, because all that follows in its transaction reads the stamp from the clock. */
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
function timeOf(sentAt: string): string {
  const history = `${sentAt} < (SELECT datetime(clock_said, '-1 hour') FROM message_clock)`;
  return `iif(${history}, ${sentAt}, (SELECT stamp FROM message_clock))`;
}

function timeGiven(sentAt: string): string {
  return `coalesce(${sentAt}, (SELECT stamp FROM message_clock))`;
}
