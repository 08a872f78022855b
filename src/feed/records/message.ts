import { type SQL, sql } from "drizzle-orm";
import { messageGroups, messages } from "../../db/tables.ts";
import { NEXT_STAMP } from "../../inbox/message-clock.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { inTheFuture } from "./faults.ts";
import type { Scan } from "./kind.ts";
import { messageGroup, NOT_A_MEMBER } from "./message-group.ts";
import { EventId } from "./summaries.ts";

export const message = defineKind(messages, {
  record: "message",
  fields: { id: EventId, group_id: Id, customer_id: Id, body: LongText, sent_at: orNull(FedTime) },
  columns: { sent_at: { sql: timeOrStamp("line.sent_at"), from: "sent_at" } },
  groupField: "group_id",
  references: { group_id: messageGroup, customer_id: customer },
  moreLineFields: ["sent_at"],
  timeField: "sent_at",
  faults: [NOT_A_MEMBER],
  remove: (lines) => [emptyBodies(lines)],
  upkeep: stampAndNewest(timeOrStamp, sql`EXISTS (SELECT 1 FROM message)`),
  // The messages of a group's two newest seconds stay, because they are shown and compared with new messages. The limits are
  // smaller than for other kinds, because SQLite reads the bodies of the messages that it looks at.
  retention: {
    lookedAt: 2_000,
    mostDeleted: 500,
    when: `sent_at < (
      SELECT iif(id IS NULL, 'never', earlier_at) FROM message_groups WHERE message_groups.key = messages.group_key
    )`,
  },
  exportPageLimit: "sentBytes",
  // In this order, the messages that a group shows are restored as the last messages of their seconds.
  scans: [
    {
      join: "CROSS JOIN message_groups ON message_groups.key = messages.group_key",
      leftOut: "message_groups.id IS NULL OR messages.id IN (message_groups.earlier_id, message_groups.newest_id)",
    },
    shown("earlier_id"),
    shown("newest_id"),
  ],
  readBack: { group_id: { sql: "message_groups.id" } },
  // A restored message (docs/contract/restore.md, 2) keeps its time, and may be from a former member.
  restored: {
    columns: { sent_at: { sql: timeAsFed("line.sent_at"), from: "sent_at" } },
    faults: [inTheFuture("sent_at")],
    upkeep: [...stampAndNewest(timeAsFed, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`), openSecond],
  },
});

/** The messages that groups show, in the order of the groups. */
function shown(column: "earlier_id" | "newest_id"): Scan {
  return {
    table: messageGroups,
    join: `LEFT JOIN messages ON messages.id = message_groups.${column}`,
    leftOut: "message_groups.id IS NULL OR messages.id IS NULL",
  };
}

/** The row of a deleted message stays. So its id cannot be used again, and its group shows that there was a message. */
function emptyBodies(lines: SQL): SQL {
  return sql`UPDATE messages SET body = '' WHERE id IN (SELECT id FROM ${lines}) AND body <> '' RETURNING 1`;
}

/** Takes a stamp if one is needed, and then updates the newest messages, because their times may be the stamp. */
function stampAndNewest(timeOf: (sentAt: string) => string, needsStamp: SQL) {
  return [
    (withFresh: SQL) => takeStamp(withFresh, needsStamp),
    (withFresh: SQL) => updateNewestMessages(withFresh, sql.raw(timeOf("sent_at"))),
  ];
}

function takeStamp(withFresh: SQL, when: SQL): SQL {
  return sql`${withFresh}
    UPDATE program_state SET
      stamp = iif(clock_said = clock.now, stamp, ${NEXT_STAMP}),
      clock_said = clock.now, is_open = 1
    FROM clock
    WHERE (program_state.clock_said <> clock.now OR program_state.is_open = 0) AND ${when}`;
}

/** Marks that another stamp is needed, if a message is restored at a time that is not shown yet. */
function openSecond(withFresh: SQL): SQL {
  return sql`${withFresh}
    UPDATE program_state SET is_open = 1
    WHERE is_open = 0 AND EXISTS (SELECT 1 FROM message WHERE sent_at >= program_state.stamp)`;
}

/** The fed time if it is more than an hour ago, otherwise the stamp (docs/contract/interface.md, 4.2). */
function timeOrStamp(sentAt: string): string {
  const isOld = `${sentAt} < (SELECT datetime(clock_said, '-1 hour') FROM program_state)`;
  return `iif(${isOld}, ${sentAt}, (SELECT stamp FROM program_state))`;
}

/** The fed time if there is one, otherwise the stamp. */
function timeAsFed(sentAt: string): string {
  return `coalesce(${sentAt}, (SELECT stamp FROM program_state))`;
}

/**
 * Compares the new messages, which `withFresh` has as `message`, with the newest messages of their groups. `time`: the time
 * of a new message. In one second the message on the last line is the newest; stored messages have line 0.
 */
function updateNewestMessages(withFresh: SQL, time: SQL): SQL {
  return sql`${withFresh},
    candidate(group_key, id, at, number) AS (
      SELECT group_key, id, ${time}, number FROM message
      UNION ALL
      SELECT key, newest_id, newest_at, 0 FROM message_groups
      WHERE key IN (SELECT group_key FROM message) AND newest_id IS NOT NULL
      UNION ALL
      SELECT key, earlier_id, earlier_at, 0 FROM message_groups
      WHERE key IN (SELECT group_key FROM message) AND earlier_id IS NOT NULL
    ),
    ranked AS (
      SELECT group_key, id, at,
        dense_rank() OVER (PARTITION BY group_key ORDER BY at DESC) AS second_rank,
        row_number() OVER (PARTITION BY group_key, at ORDER BY number DESC) AS rank_in_second
      FROM candidate
    ),
    news AS (
      SELECT group_key,
        max(id) FILTER (WHERE second_rank = 1) AS newest_id, max(at) FILTER (WHERE second_rank = 1) AS newest_at,
        max(id) FILTER (WHERE second_rank = 2) AS earlier_id, max(at) FILTER (WHERE second_rank = 2) AS earlier_at
      FROM ranked WHERE rank_in_second = 1 AND second_rank <= 2 GROUP BY group_key
    )
    UPDATE message_groups SET (newest_id, newest_at, earlier_id, earlier_at)
      = (news.newest_id, news.newest_at, news.earlier_id, news.earlier_at)
    FROM news
    WHERE message_groups.key = news.group_key
      AND (message_groups.newest_id, message_groups.earlier_id) IS NOT (news.newest_id, news.earlier_id)`;
}
