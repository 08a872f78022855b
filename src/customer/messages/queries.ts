import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type Database, type RowOf, type Value } from "../../db/database.ts";
import { DatabaseFull } from "../../db/errors.ts";
import { limitTo } from "../../db/limit.ts";
import { selectWith } from "../../db/select.ts";
import {
  customers,
  messageGroupMembers,
  messageGroupNews,
  messageGroups,
  messageStates,
  messages,
} from "../../db/tables/index.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { friendStatus, hasBlocked } from "../../domain/friendships.ts";
import { cutPage, type Page, type Paged } from "../../http/paging.ts";
import type { Report } from "../../inbox/inbox-state.ts";
import { listenByPoll, selectNews } from "../../inbox/queries.ts";
import { groupName } from "./group-name.ts";
import type { Cursor, GroupMember, MessageGroup } from "./schema.ts";

export interface MessageGroupsQuery {
  customerId: string;
  /** Only groups whose last message is later than this time; left out: all. */
  checkTime: string | undefined;
  page: Page;
  /** Where the page before ended: the page begins there, whatever its offset. */
  after: Cursor | undefined;
}

/**
 * A page of groups, and what the customer's inbox needs to know to answer the next poll without D1; null where the
 * database is too full to write down that the customer listens, so that the inbox would not be notified of what comes.
 */
export interface MessageGroupsFound extends Paged<MessageGroup> {
  news: Omit<Report, "at"> | null;
}

type Customer = typeof customers.$inferSelect;

/** Values without their names, which would be half of all that comes from the database. */
type MemberRow = [
  id: Customer["id"],
  name: NonNullable<Customer["name"]>,
  avatar: Customer["avatar"],
  customerDescription: Customer["customerDescription"],
  friendStatus: GroupMember["friend_status"],
  balance: Customer["balance"],
  blocked: 0 | 1,
];
type GroupRow = RowOf<ReturnType<typeof selectGroups>>;

/**
 * The groups of which the caller is a member and that show a message, newest message first, then by id
 * (docs/contract/interface.md, 4.2). Only the primary answers right: a replica may know a second only in part. One
 * round trip, which also makes the customer a listener, before the news are read: later changes notify the inbox.
 */
export async function findMessageGroups(db: Database, query: MessageGroupsQuery): Promise<MessageGroupsFound> {
  const { customerId, checkTime = "", page, after } = query;
  const limit = page.limit + 1;
  const statement =
    after === undefined
      ? pageByNumber({ customerId, checkTime, limit, offset: page.offset })
      : pageAfter({ customerId, checkTime, limit, offset: 0, time: after.time, groupId: after.groupId });
  try {
    const [, news, rows] = await db.batch([listenByPoll(customerId), selectNews({ customerId }), statement]);
    return { ...cutPage(rows.map(toGroup), page), news: news[0] ?? null };
  } catch (error) {
    if (!(error instanceof DatabaseFull)) throw error;
    return { ...cutPage((await db.all(statement)).map(toGroup), page), news: null };
  }
}

type PageValue = "customerId" | "checkTime" | "limit" | "offset";
type CursorValues = Record<keyof Cursor, Placeholder>;

const pageByNumber = compileOnce((value: Value<PageValue>) => selectGroups(value, undefined));
const pageAfter = compileOnce((value: Value<PageValue | keyof Cursor>) =>
  selectGroups(value, { time: value("time"), groupId: value("groupId") }),
);

const CALLER = sql.raw("shown.caller");
const initial = alias(customers, "initial");
const sender = alias(customers, "sender");
const member = alias(messageGroupMembers, "member");

function selectGroups(value: Value<PageValue>, after: CursorValues | undefined) {
  return selectWith(
    sql`shown(caller, group_key, group_id, at, is_newest) AS (${shownMessages(value, after)})`,
    {
      group_id: sql<string>`shown.group_id`,
      group_image: messageGroups.groupImage,
      last_message: messages.body,
      last_message_time: sql<string>`shown.at`,
      initial_customer_id: initial.id,
      initial_customer_name: sql<string>`${initial.name}`,
      initial_customer_avatar: initial.avatar,
      last_customer: sender.id,
      last_customer_name: sql<string>`${sender.name}`,
      last_customer_avatar: sender.avatar,
      read_status: sql<0 | 1>`iif(${sender.key} = ${CALLER} OR ${messageStates.readAt} >= shown.at, 1, 0)`,
      notifications_disabled: sql<0 | 1>`coalesce(${messageStates.notificationsDisabled}, 0)`,
      members: sql<string>`(${otherMembers(sql`shown.group_key`, CALLER)})`,
    },
    sql`
    FROM shown
    CROSS JOIN ${messageGroups} ON ${messageGroups.key} = shown.group_key
    CROSS JOIN ${messages}
      ON ${messages.id} = iif(shown.is_newest, ${messageGroups.newestId}, ${messageGroups.earlierId})
    CROSS JOIN ${customers} AS ${initial} ON ${initial.key} = ${messageGroups.initialCustomerKey}
    CROSS JOIN ${customers} AS ${sender} ON ${sender.key} = ${messages.customerKey}
    LEFT JOIN ${messageStates}
      ON ${messageStates.groupKey} = shown.group_key AND ${messageStates.customerKey} = ${CALLER}
    ORDER BY shown.at DESC, shown.group_id`,
  );
}

/**
 * The page's groups, each with the time of the message that it shows: its newest, or, until that one's second is over,
 * the newest of an earlier second. One scan of the index, besides the groups with a message that is not older than the current
 * second: only for these is the horizon read, which is never before that second.
 */
function shownMessages(value: Value<PageValue>, after: CursorValues | undefined): SQL {
  const news = messageGroupNews;
  const callers = sql`${news.customerKey} = ${customerKeyOf(value("customerId"))}`;
  const isNewest = sql`${news.newestAt} < (SELECT at FROM message_horizon)`;
  const inPage = (at: SQL) => {
    const afterCursor =
      after && sql`AND ${at} <= ${after.time} AND (${at} < ${after.time} OR ${news.groupId} > ${after.groupId})`;
    return sql`${at} > ${value("checkTime")} ${afterCursor ?? sql``}`;
  };
  const group = sql`${news.customerKey}, ${news.groupKey}, ${news.groupId}`;
  return sql`
    SELECT ${group}, ${news.newestAt} AS at, 1
    FROM ${news}
    WHERE ${callers} AND ${news.newestAt} < ${overBefore(after)} AND ${inPage(sql`${news.newestAt}`)}
    UNION ALL
    SELECT ${group}, at, is_newest FROM (
      SELECT
        ${group}, ${isNewest} AS is_newest, iif(${isNewest}, ${news.newestAt}, ${messageGroups.earlierAt}) AS at
      FROM ${news} CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${news.groupKey}
      WHERE ${callers} AND ${news.newestAt} >= ${overBefore(after)}
    ) AS ${news}
    WHERE ${inPage(sql`at`)}
    ORDER BY at DESC, group_id
    ${limitTo(value("limit"))} OFFSET ${value("offset")}`;
}

/** Seconds before this one are over. One that a page has shown was over, even if the clock has been set back since. */
function overBefore(after: CursorValues | undefined): SQL {
  const now = sql.raw("(SELECT now FROM clock)");
  return after === undefined ? now : sql`max(${now}, datetime(${after.time}, '+1 second'))`;
}

/** The members of a group other than the caller, in the group's order, as a JSON array. */
function otherMembers(groupKey: SQL, callerKey: SQL): SQL {
  const memberKey = sql`${customers.key}`;
  return sql`
    SELECT json_group_array(json_array(
      ${customers.id}, ${customers.name}, ${customers.avatar}, ${customers.customerDescription},
      ${friendStatus(callerKey, memberKey)}, ${customers.balance}, ${hasBlocked(callerKey, memberKey)}
    ) ORDER BY ${member.position})
    FROM ${messageGroupMembers} AS ${member}
    CROSS JOIN ${customers} ON ${customers.key} = ${member.customerKey}
    WHERE ${member.groupKey} = ${groupKey} AND ${member.customerKey} <> ${callerKey}`;
}

// Each field by name: what is copied with a spread takes several times as long, and a page has hundreds of members.
function toGroup(row: GroupRow): MessageGroup {
  const members = (JSON.parse(row.members) as MemberRow[]).map(toMember);
  return {
    group_id: row.group_id,
    group_image: row.group_image,
    group_name: groupName(members),
    last_message: row.last_message,
    last_message_time: row.last_message_time,
    initial_customer_id: row.initial_customer_id,
    initial_customer_name: row.initial_customer_name,
    initial_customer_avatar: row.initial_customer_avatar,
    last_customer: row.last_customer,
    last_customer_name: row.last_customer_name,
    last_customer_avatar: row.last_customer_avatar,
    read_status: row.read_status,
    notifications_disabled: row.notifications_disabled,
    group_members: members,
  };
}

function toMember([id, name, avatar, customerDescription, friendStatus, balance, blocked]: MemberRow): GroupMember {
  return {
    id,
    name,
    avatar,
    customer_description: customerDescription,
    friend_status: friendStatus,
    total_balance: balance / 100,
    is_blocked: blocked === 1,
  };
}
