import { type AnyColumn, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { bytesOf, isAfter, untilFull } from "../../db/cut.ts";
import type { Database, RowOf } from "../../db/database.ts";
import { jsonOf, limitTo, select } from "../../db/select.ts";
import { mergeObjects, storedJson } from "../../http/json-text.ts";
import { POLL_BYTES } from "../../http/limits.ts";
import type { Page } from "../../http/paging.ts";
import { selectStamp } from "../../inbox/message-clock.ts";
import { blocks } from "../../records/block.ts";
import { customerKeyOf, customers } from "../../records/customer.ts";
import { messages } from "../../records/message.ts";
import { messageGroupMembers, messageGroupNews, messageGroups } from "../../records/message-group.ts";
import { messageStates } from "../../records/message-state.ts";
import { AFTER_ALL_TIMES } from "../../values/time.ts";
import { friendStatus, hasBlocked } from "../rules.ts";
import type { MessageGroup } from "./schema.ts";

/** A place before all groups. */
export const BEGINNING = { time: AFTER_ALL_TIMES, group_id: "" };

export interface MessageGroupsQuery {
  customerId: string;
  /** Only groups whose last message is later than this time; empty: all. */
  checkTime: string;
  page: Page<typeof BEGINNING>;
}

export type GroupRow = RowOf<ReturnType<typeof selectGroups>>;

/**
 * The caller's groups that show a message, newest message first, then by id (docs/contract/interface.md, 4.2); and one more if
 * more follow. A message gets a stamp, the time by D1's clock. A replica shows messages from before its last stamp. One round
 * trip.
 */
export function findMessageGroups(db: Database, { customerId, checkTime, page }: MessageGroupsQuery) {
  const { limit, offset, after } = page;
  return db.all(selectGroups({ customerId, checkTime, limit, offset, ...after }));
}

type Placeholders = PlaceholderOf<"customerId" | "checkTime" | "limit" | "offset" | keyof typeof BEGINNING>;

/** The last stamp. Messages of earlier seconds are shown, no others are (docs/architecture.md, "The clock"). */
export const STAMP = sql`(${selectStamp()})`;
const starter = alias(customers, "starter");
const sender = alias(customers, "sender");
const member = alias(messageGroupMembers, "member");

/** What a group shows of its last message, empty if the caller has blocked the sender. */
const unlessBlocked = (text: SQLWrapper) => sql`iif(${blocks.blocked_key} IS NULL, ${text}, '')`;

/** Whether who sent a message, or began a group, was not erased since: also who was written again has no name there. */
const isStillSender = sql`${messages.life} = ${sender.life}`;
const isStillStarter = sql`${messageGroups.initial_life} = ${starter.life}`;
const whileNotErased = (text: SQLWrapper, isStillThere: SQL) => sql`iif(${isStillThere}, ${text}, '')`;

const selectGroups = compileOnce("messages/groups", (placeholder: Placeholders) => {
  const caller = customerKeyOf(placeholder("customerId"));
  // The members have most of the texts. A group with its members may have 2.5 MB.
  const bytes = sql`(
    SELECT sum(${bytesOf(customers.name, customers.avatar, customers.customer_description)})
    FROM ${messageGroupMembers} CROSS JOIN ${customers} ON ${customers.key} = ${messageGroupMembers.customer_key}
    WHERE ${messageGroupMembers.group_key} = listed.group_key AND ${messageGroupMembers.customer_key} <> ${caller}
  )`;
  return selectAsShown(caller, untilFull(selectShownGroups(placeholder), bytes, POLL_BYTES));
});

/**
 * Groups as the caller sees them. `page`: a subquery that has the `group_key` of each, the time `at` of the message that it
 * shows, and whether this `is_newest`.
 */
export function selectAsShown(caller: SQL, page: SQL) {
  const at = sql<string>`page.at`;
  return select(
    {
      // For the cursor, because `record` is not parsed.
      group_id: sql<string>`${messageGroups.id}`,
      time: at,
      record: jsonOf({
        group_id: messageGroups.id,
        group_image: messageGroups.group_image,
        last_message: unlessBlocked(messages.body),
        last_message_time: at,
        initial_customer_id: starter.id,
        initial_customer_name: whileNotErased(starter.name, isStillStarter),
        initial_customer_avatar: whileNotErased(starter.avatar, isStillStarter),
        last_customer: sender.id,
        last_customer_name: unlessBlocked(whileNotErased(sender.name, isStillSender)),
        last_customer_avatar: unlessBlocked(whileNotErased(sender.avatar, isStillSender)),
        read_status: sql`iif(
          ${sender.key} = ${caller} AND ${isStillSender} OR ${messageStates.read_at} >= ${at} OR ${blocks.blocked_key} IS NOT NULL, 1, 0
        )`,
        notifications_disabled: sql`coalesce(${messageStates.notifications_disabled}, 0)`,
      } satisfies Record<Exclude<keyof MessageGroup, "group_name" | "group_members">, unknown>),
      nameAndMembers: sql<string>`(${otherMembers(sql`${messageGroups.key}`, caller)})`,
    },
    sql`
      FROM ${page} AS page
      CROSS JOIN ${messageGroups} ON ${messageGroups.key} = page.group_key
      CROSS JOIN ${messages} ON ${messages.id} = iif(page.is_newest, ${messageGroups.newest_id}, ${messageGroups.earlier_id})
      CROSS JOIN ${customers} AS ${starter} ON ${starter.key} = ${messageGroups.initial_customer_key}
      CROSS JOIN ${customers} AS ${sender} ON ${sender.key} = ${messages.customer_key}
      LEFT JOIN ${messageStates}
        ON ${messageStates.group_key} = ${messageGroups.key} AND ${messageStates.customer_key} = ${caller}
      LEFT JOIN ${blocks} ON ${blocks.customer_key} = ${caller} AND ${blocks.blocked_key} = ${sender.key}`,
  );
}

/** JSON that a list or an answer shows of a group. It is not parsed, because a group's members can have half a megabyte. */
export const toGroup = ({ record, nameAndMembers }: GroupRow) =>
  mergeObjects(storedJson(record), storedJson(nameAndMembers));

/**
 * The page's groups, and one more if there is one, each with the time of the message that it shows. A group shows its newest
 * message; during the second of that message it shows the newest message from before. SQLite reads the index once, and looks
 * up only the groups whose newest message is not shown yet.
 */
function selectShownGroups(placeholder: Placeholders): SQL {
  const news = messageGroupNews;
  const isOfCaller = sql`${news.customer_key} = ${customerKeyOf(placeholder("customerId"))}`;
  const isAskedFor = (at: AnyColumn) =>
    sql`${at} > ${placeholder("checkTime")} AND ${isAfter([
      { column: at, after: placeholder("time"), isDescending: true },
      { column: news.group_id, after: placeholder("group_id") },
    ])}`;
  const group = sql`${news.group_key} AS group_key, ${news.group_id} AS group_id`;
  return sql`
    SELECT ${group}, ${news.newest_at} AS at, 1 AS is_newest
    FROM ${news}
    WHERE ${isOfCaller} AND ${news.newest_at} < ${STAMP} AND ${isAskedFor(news.newest_at)}
    UNION ALL
    SELECT ${group}, ${messageGroups.earlier_at} AS at, 0
    FROM ${news} CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${news.group_key}
    WHERE ${isOfCaller} AND ${news.newest_at} = ${STAMP} AND ${isAskedFor(messageGroups.earlier_at)}
    ORDER BY at DESC, group_id
    ${limitTo(sql`1 + ${placeholder("limit")}`)} OFFSET ${placeholder("offset")}`;
}

/**
 * The group's name and its members without the caller, as JSON. The name lists the members whom the caller has not blocked,
 * and counts the others (docs/contract/interface.md, 4.2).
 */
function otherMembers(groupKey: SQL, callerKey: SQL): SQL {
  const memberKey = sql`${customers.key}`;
  // Balances are in hundredths. SQLite writes JSON fractions with 15 digits, but a balance may have 16. `printf` is slow.
  const exactDollars = sql`json(printf('%s%d.%02d', iif(balance < 0, '-', ''), abs(balance) / 100, abs(balance) % 100))`;
  const dollars = sql`iif(balance % 100 = 0, balance / 100, iif(abs(balance) < 1e15, balance / 100.0, ${exactDollars}))`;
  return sql`
    SELECT json_object(
      'group_name', concat_ws(' ',
        nullif(group_concat(name, ', ') FILTER (WHERE NOT is_blocked), ''),
        '(' || nullif(count(*) FILTER (WHERE is_blocked), 0) || ' blocked)'
      ),
      'group_members', json_group_array(json_object(
        'id', id, 'name', name, 'avatar', avatar, 'customer_description', customer_description,
        'friend_status', friend_status, 'total_balance', ${dollars},
        'is_blocked', json(iif(is_blocked, 'true', 'false'))
      ))
    )
    FROM (
      SELECT ${customers.id} AS id, ${customers.name} AS name, ${customers.avatar} AS avatar,
        ${customers.customer_description} AS customer_description,
        ${friendStatus(callerKey, memberKey)} AS friend_status, ${customers.balance} AS balance,
        ${hasBlocked(callerKey, memberKey)} AS is_blocked
      FROM ${messageGroupMembers} AS ${member}
      CROSS JOIN ${customers} ON ${customers.key} = ${member.customer_key}
      WHERE ${member.group_key} = ${groupKey} AND ${member.customer_key} <> ${callerKey}
      ORDER BY ${member.position}
    )`;
}
