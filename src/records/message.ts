import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { bySql, fed, key, refersTo, storingRequest, subject } from "../db/columns.ts";
import { EventId } from "../db/derived/summaries.ts";
import { writtenOnce } from "../db/dialect.ts";
import type { Kind, Scan } from "../db/kind.ts";
import { event } from "../db/record.ts";
import { columnNames } from "../db/select.ts";
import { orNull } from "../values/scalar.ts";
import { Id, LongText } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { currentLife, customer, Life, lifeIn } from "./customer.ts";
import { messageGroup, messageGroups, NOT_A_MEMBER } from "./message-group.ts";
import { inTheFuture, NEXT_STAMP, programState } from "./program.ts";

const sentAt = (value: SQL) => bySql(text().notNull(), { sent_at: orNull(FedTime) }, value);

const SENDER_LIFE = currentLife(sql`line.customer_key`);
const lifeColumn = (fields: { life?: typeof Life }, value: SQL) => bySql(integer().notNull(), fields, value);

/** A message in a group. It stays when its group is removed, because its id stays used. */
const record = event(
  "message",
  "messages",
  {
    id: key(fed(text().primaryKey(), EventId)),
    group_key: refersTo(messageGroup, { group_id: Id }),
    customer_key: subject(refersTo(customer, { customer_id: Id })),
    /** In which life of the sender: after an erasure the name stays empty. */
    life: lifeColumn({}, SENDER_LIFE),
    body: fed(text().notNull(), LongText),
    sent_at: sentAt(timeOrStamp(sql`line.sent_at`)),
    request: storingRequest(),
  },
  { time: "sent_at", groupField: "group_id", moreLineFields: ["sent_at"], hasLongRows: true },
);
export const messages = record.table;

export const message = {
  ...record,
  check: [NOT_A_MEMBER],
  remove: (lines: SQL) => [emptyBodies(lines)],
  write: { upkeep: stampAndNewest(timeOrStamp, sql`EXISTS (SELECT 1 FROM message)`) },
  // The messages of a group's two newest seconds stay, because they are shown and compared with new messages. The limit is
  // smaller than for other kinds, because SQLite reads the bodies of the messages that it looks at.
  retention: {
    lookedAt: 2_000,
    when: sql`${messages.sent_at} < (
      SELECT iif(${messageGroups.id} IS NULL, 'never', ${messageGroups.earlier_at})
      FROM ${messageGroups} WHERE ${messageGroups.key} = ${messages.group_key}
    )`,
  },
  read: {
    fields: { group_id: { sql: sql`${messageGroups.id}` }, life: lifeIn(messages.life) },
    // In this order, the messages that a group shows are restored as the last messages of their seconds.
    scans: [
      {
        join: sql`CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${messages.group_key}`,
        leftOut: sql`${messageGroups.id} IS NULL OR ${messages.id} IN (${messageGroups.earlier_id}, ${messageGroups.newest_id})`,
      },
      messagesOf(messageGroups.earlier_id),
      messagesOf(messageGroups.newest_id),
    ],
  },
  // A restored message (docs/contract/restore.md, 2) keeps its time, and may be from a former member.
  restored: {
    fields: record.fields.extend({ life: Life }),
    written: [...record.written, { name: "life", json: false, value: ({ life }) => life ?? 0 }],
    columns: {
      sent_at: sentAt(timeAsFed(sql`line.sent_at`)),
      life: lifeColumn({ life: Life }, sql`line.life`),
    },
    check: [inTheFuture("sent_at")],
    write: {
      upkeep: [...stampAndNewest(timeAsFed, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`), openSecond],
    },
  },
} satisfies Kind;

/** The messages that groups show, in the order of the groups. */
function messagesOf(id: typeof messageGroups.earlier_id | typeof messageGroups.newest_id): Scan {
  return {
    table: messageGroups,
    join: sql`LEFT JOIN ${messages} ON ${messages.id} = ${id}`,
    leftOut: sql`${messageGroups.id} IS NULL OR ${messages.id} IS NULL`,
  };
}

/** The row of a deleted message stays. So its id cannot be used again, and its group shows that there was a message. */
function emptyBodies(lines: SQL): SQL {
  const { id, body } = messages;
  return sql`UPDATE ${messages} SET ${columnNames(body)} = '' WHERE ${id} IN (SELECT id FROM ${lines}) AND ${body} <> '' RETURNING 1`;
}

/** Takes a stamp if one is needed, and then updates the newest messages, because their times may be the stamp. */
function stampAndNewest(timeOf: (sentAt: SQL) => SQL, needsStamp: SQL) {
  const [stamp, newest] = [takeStamp(needsStamp), updateNewestMessages(timeOf(sql`sent_at`))];
  return [
    (withFresh: SQL) => sql`${withFresh} ${writtenOnce(stamp)}`,
    (withFresh: SQL) => sql`${withFresh}, ${writtenOnce(newest)}`,
  ];
}

function takeStamp(when: SQL): SQL {
  const { stamp, clock_said, is_open } = programState;
  return sql`
    UPDATE ${programState} SET
      ${columnNames(stamp)} = iif(${clock_said} = clock.now, ${stamp}, ${NEXT_STAMP}),
      ${columnNames(clock_said)} = clock.now, ${columnNames(is_open)} = 1
    FROM clock
    WHERE (${clock_said} <> clock.now OR ${is_open} = 0) AND ${when}`;
}

/** Marks that another stamp is needed, if a message is restored at a time that is not shown yet. */
function openSecond(withFresh: SQL): SQL {
  const { stamp, is_open } = programState;
  return sql`${withFresh}
    UPDATE ${programState} SET ${columnNames(is_open)} = 1
    WHERE ${is_open} = 0 AND EXISTS (SELECT 1 FROM message WHERE sent_at >= ${stamp})`;
}

/** The fed time if it is more than an hour ago, otherwise the stamp (docs/contract/interface.md, 4.2). */
function timeOrStamp(fedTime: SQL): SQL {
  const { stamp, clock_said } = programState;
  const isOld = sql`${fedTime} < (SELECT datetime(${clock_said}, '-1 hour') FROM ${programState})`;
  return sql`iif(${isOld}, ${fedTime}, (SELECT ${stamp} FROM ${programState}))`;
}

/** The fed time if there is one, otherwise the stamp. */
function timeAsFed(fedTime: SQL): SQL {
  return sql`coalesce(${fedTime}, (SELECT ${programState.stamp} FROM ${programState}))`;
}

/**
 * Compares the new messages, the relation `message`, with the newest messages of their groups. `time`: the time
 * of a new message. In one second the message on the last line is the newest; stored messages have line 0.
 */
function updateNewestMessages(time: SQL): SQL {
  const { key, newest_id, newest_at, earlier_id, earlier_at } = messageGroups;
  const isTouched = sql`${key} IN (SELECT group_key FROM message)`;
  return sql`
    candidate(group_key, id, at, number) AS (
      SELECT group_key, id, ${time}, number FROM message
      UNION ALL
      SELECT ${key}, ${newest_id}, ${newest_at}, 0 FROM ${messageGroups} WHERE ${isTouched} AND ${newest_id} IS NOT NULL
      UNION ALL
      SELECT ${key}, ${earlier_id}, ${earlier_at}, 0 FROM ${messageGroups} WHERE ${isTouched} AND ${earlier_id} IS NOT NULL
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
    UPDATE ${messageGroups} SET (${columnNames(newest_id, newest_at, earlier_id, earlier_at)})
      = (news.newest_id, news.newest_at, news.earlier_id, news.earlier_at)
    FROM news
    WHERE ${key} = news.group_key AND (${newest_id}, ${earlier_id}) IS NOT (news.newest_id, news.earlier_id)`;
}
