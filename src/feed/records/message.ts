import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { messages } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { EventKind } from "./kind.ts";
import { MESSAGE_GROUPS, noMember } from "./message-group.ts";

export const message: EventKind = {
  type: "event",
  record: "message",
  table: messages,
  global: true,
  fields: z.object({ id: Id, group_id: Id, customer_id: Id, body: LongText, sent_at: orNull(Datetime) }),
  columns: ["id", "group_id", "customer_id", "body", "sent_at", "group_removals"],
  made: { sent_at: timeOf("line.sent_at"), group_removals: removalsOf("line.group_id") },
  references: [
    { field: "group_id", to: MESSAGE_GROUPS },
    { field: "customer_id", to: CUSTOMERS },
  ],
  faults: [noMember("message")],
  counted: ["id", "group_id", "sent_at"],
  totals: (fresh: SQL) => [
    // First, because all that follows in this transaction reads the stamp from there.
    sql`${fresh}
      UPDATE message_clock SET stamp = max(clock.now, datetime(stamp, '+1 second')), clock_said = clock.now
      FROM clock
      WHERE message_clock.clock_said <> clock.now AND EXISTS (SELECT 1 FROM message)`,
    // Of messages in one second the one stored last counts: what is stored already comes before all lines.
    sql`${fresh},
      candidate(group_id, id, at, line) AS (
        SELECT group_id, id, ${sql.raw(timeOf("sent_at"))}, line FROM message
        UNION ALL
        SELECT id, newest_id, newest_at, 0 FROM message_groups
        WHERE id IN (SELECT group_id FROM message) AND newest_id IS NOT NULL
        UNION ALL
        SELECT id, earlier_id, earlier_at, 0 FROM message_groups
        WHERE id IN (SELECT group_id FROM message) AND earlier_id IS NOT NULL
      ),
      ranked AS (
        SELECT group_id, id, at,
          dense_rank() OVER (PARTITION BY group_id ORDER BY at DESC) AS seconds_back,
          row_number() OVER (PARTITION BY group_id, at ORDER BY line DESC) AS place_in_second
        FROM candidate
      ),
      news AS (
        SELECT group_id,
          max(id) FILTER (WHERE seconds_back = 1) AS newest_id, max(at) FILTER (WHERE seconds_back = 1) AS newest_at,
          max(id) FILTER (WHERE seconds_back = 2) AS earlier_id, max(at) FILTER (WHERE seconds_back = 2) AS earlier_at
        FROM ranked WHERE place_in_second = 1 AND seconds_back <= 2 GROUP BY group_id
      )
      UPDATE message_groups SET
        newest_id = news.newest_id, newest_at = news.newest_at,
        earlier_id = news.earlier_id, earlier_at = news.earlier_at
      FROM news
      WHERE message_groups.id = news.group_id
        AND (message_groups.newest_id, message_groups.earlier_id) IS NOT (news.newest_id, news.earlier_id)`,
  ],
};

/**
 * The time of a message: what its line says, where that is history, more than an hour old; else the stamp of the request
 * (decisions.md, 4.2).
 */
function timeOf(sentAt: string): string {
  const history = `${sentAt} < (SELECT datetime(clock_said, '-1 hour') FROM message_clock)`;
  return `iif(${history}, ${sentAt}, (SELECT stamp FROM message_clock))`;
}

/** How often the group was removed so far: messages from before belong to another group of the same id. */
function removalsOf(groupId: string): string {
  return `coalesce((SELECT times FROM message_group_removals WHERE group_id = ${groupId}), 0)`;
}
