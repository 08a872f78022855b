import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { updateNewestMessages } from "../../db/derived/newest-messages.ts";
import { messages } from "../../db/tables/index.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineEvent } from "./kind.ts";
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
  readBack: {
    group_id: { sql: "in_group.id" },
    sent_at: { column: "sentAt" },
  },
  export: {
    restored: {
      removals: { sql: "nullif(in_group.removals, 0)" },
      // Of the messages of a second that its group shows, all but the one that it shows.
      last: {
        sql: `iif(
          (messages.sent_at = in_group.newest_at AND messages.id <> in_group.newest_id)
          OR (messages.sent_at = in_group.earlier_at AND messages.id <> in_group.earlier_id),
          'false', NULL
        )`,
        json: true,
      },
    },
    join: "CROSS JOIN message_groups AS in_group ON in_group.key = messages.group_key",
    lines: 2_000,
  },
  references: { group_id: MESSAGE_GROUPS, customer_id: CUSTOMERS },
  uses: ["sent_at"],
  faults: [noMember("message")],
  totals: (fresh) => [
    takeStamp(fresh, sql`EXISTS (SELECT 1 FROM message)`),
    updateNewestMessages(fresh, { time: sql.raw(timeOf("sent_at")) }),
  ],
});

/** Takes the stamp of a request: first, because all that follows in its transaction reads the stamp from the clock. */
export function takeStamp(fresh: SQL, when: SQL): SQL {
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
