import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { names } from "../../db/select.ts";
import { messageGroups, messages } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, LongText } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { stillToCome } from "./faults.ts";
import type { Scan } from "./kind.ts";
import { messageGroup, NOT_A_MEMBER } from "./message-group.ts";
import { EventId } from "./summaries.ts";

export const message = defineKind(messages, {
  record: "message",
  fields: z.object({ id: EventId, group_id: Id, customer_id: Id, body: LongText, sent_at: orNull(FedTime) }),
  columns: { sent_at: { sql: timeOrStamp("line.sent_at"), from: "sent_at" } },
  groupField: "group_id",
  references: { group_id: messageGroup, customer_id: customer },
  alsoForChecks: ["sent_at"],
  timeField: "sent_at",
  faults: [NOT_A_MEMBER],
  remove: (lines) => [emptyBodies(lines)],
  upkeep: stampAndNewest(timeOrStamp, sql`EXISTS (SELECT 1 FROM message)`),
  // The messages of a group's two newest seconds stay, because they are shown and compared with new ones. SQLite reads the
  // bodies of the messages that it looks at, so a step looks at fewer, and sends still fewer.
  leaving: {
    lookedAt: 2_000,
    mostLines: 500,
    when: `sent_at < (
      SELECT iif(id IS NULL, 'never', earlier_at) FROM message_groups WHERE message_groups.key = messages.group_key
    )`,
  },
  pageEndsBy: "sentBytes",
  // Restored in this order, the messages that a group shows are again the last of their seconds.
  scans: [
    {
      join: "CROSS JOIN message_groups ON message_groups.key = messages.group_key",
      leftOut: "message_groups.id IS NULL OR messages.id IN (message_groups.earlier_id, message_groups.newest_id)",
    },
    shown("earlier_id"),
    shown("newest_id"),
  ],
  readBack: { group_id: { sql: "message_groups.id" } },
  // A message as it was (docs/contract/restore.md, 2): at its time, perhaps from a former member.
  restored: {
    columns: { sent_at: { sql: timeGiven("line.sent_at"), from: "sent_at" } },
    faults: [stillToCome("sent_at")],
    upkeep: [...stampAndNewest(timeGiven, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`), openSecond],
  },
});

/** The messages that groups show, in the order of their groups. */
function shown(column: "earlier_id" | "newest_id"): Scan {
  return {
    table: messageGroups,
    join: `LEFT JOIN messages ON messages.id = message_groups.${column}`,
    leftOut: "message_groups.id IS NULL OR messages.id IS NULL",
  };
}

/** A deleted message stays, so that its id stays used and its group shows that there was a message. */
function emptyBodies(lines: SQL): SQL {
  return sql`UPDATE messages SET body = '' WHERE id IN (SELECT id FROM ${lines}) AND body <> '' RETURNING 1`;
}

/** Takes a stamp, if one is needed, and then updates the newest messages, whose times depend on it. */
function stampAndNewest(timeOf: (sentAt: string) => string, needsStamp: SQL) {
  return [
    (withFresh: SQL) => takeStamp(withFresh, needsStamp),
    (withFresh: SQL) => updateNewestMessages(withFresh, sql.raw(timeOf("sent_at"))),
  ];
}

function takeStamp(withFresh: SQL, when: SQL): SQL {
  return sql`${withFresh}
    UPDATE program_state SET
      stamp = iif(clock_said = clock.now, stamp, max(clock.now, datetime(stamp, '+1 second'))),
      clock_said = clock.now, is_open = 1
    FROM clock
    WHERE (program_state.clock_said <> clock.now OR program_state.is_open = 0) AND ${when}`;
}

/** A message may be restored at a time that is not shown yet. */
function openSecond(withFresh: SQL): SQL {
  return sql`${withFresh}
    UPDATE program_state SET is_open = 1
    WHERE is_open = 0 AND EXISTS (SELECT 1 FROM message WHERE sent_at >= program_state.stamp)`;
}

/** The time of a message: that of its line if it is more than an hour old; else the stamp (docs/contract/interface.md, 4.2). */
function timeOrStamp(sentAt: string): string {
  const history = `${sentAt} < (SELECT datetime(clock_said, '-1 hour') FROM program_state)`;
  return `iif(${history}, ${sentAt}, (SELECT stamp FROM program_state))`;
}

function timeGiven(sentAt: string): string {
  return `coalesce(${sentAt}, (SELECT stamp FROM program_state))`;
}

/**
 * Updates the newest messages of groups by the new ones, which `withFresh` has as `message`. `time`: when such a message is
 * sent. The last line of a second counts; stored messages came before line 1.
 */
function updateNewestMessages(withFresh: SQL, time: SQL): SQL {
  const { newest_id, newest_at, earlier_id, earlier_at } = messageGroups;
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
        dense_rank() OVER (PARTITION BY group_key ORDER BY at DESC) AS seconds_back,
        row_number() OVER (PARTITION BY group_key, at ORDER BY number DESC) AS rank_in_second
      FROM candidate
    ),
    news AS (
      SELECT group_key,
        max(id) FILTER (WHERE seconds_back = 1) AS newest_id, max(at) FILTER (WHERE seconds_back = 1) AS newest_at,
        max(id) FILTER (WHERE seconds_back = 2) AS earlier_id, max(at) FILTER (WHERE seconds_back = 2) AS earlier_at
      FROM ranked WHERE rank_in_second = 1 AND seconds_back <= 2 GROUP BY group_key
    )
    UPDATE message_groups SET (${names(newest_id, newest_at, earlier_id, earlier_at)})
      = (news.newest_id, news.newest_at, news.earlier_id, news.earlier_at)
    FROM news
    WHERE message_groups.key = news.group_key
      AND (message_groups.newest_id, message_groups.earlier_id) IS NOT (news.newest_id, news.earlier_id)`;
}
