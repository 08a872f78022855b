import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compileOnce, type Database } from "../../db/database.ts";
import { DatabaseFull } from "../../db/errors.ts";
import { limitTo } from "../../db/limit.ts";
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
type GroupRow = Omit<MessageGroup, "group_name" | "group_members"> & { members: string };

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
  const found = (rows: unknown, news: unknown) => ({
    ...cutPage((rows as GroupRow[]).map(toGroup), page),
    news: news as MessageGroupsFound["news"],
  });
  try {
    const [, news = [], rows = []] = await db.batch([listenByPoll(customerId), selectNews({ customerId }), statement]);
    return found(rows, news[0]);
  } catch (error) {
    if (!(error instanceof DatabaseFull)) throw error;
    return found(await db.all(statement), null);
  }
}

type PageValues = "customerId" | "checkTime" | "limit" | "offset";
type CursorValues = Record<keyof Cursor, Placeholder>;

const pageByNumber = compileOnce<PageValues>((value) => selectGroups(value, undefined));
const pageAfter = compileOnce<PageValues | keyof Cursor>((value) =>
  selectGroups(value, { time: value("time"), groupId: value("groupId") }),
);

const CALLER = sql.raw("shown.caller");

function selectGroups(value: (name: PageValues) => Placeholder, after: CursorValues | undefined): SQL {
  return sql`
    WITH shown(caller, group_key, group_id, at, is_newest) AS (${shownMessages(value, after)})
    SELECT
      shown.group_id AS group_id, ${messageGroups.groupImage} AS group_image,
      ${messages.body} AS last_message, shown.at AS last_message_time,
      initial.id AS initial_customer_id, initial.name AS initial_customer_name, initial.avatar AS initial_customer_avatar,
      sender.id AS last_customer, sender.name AS last_customer_name, sender.avatar AS last_customer_avatar,
      iif(sender.key = ${CALLER} OR ${messageStates.readAt} >= shown.at, 1, 0) AS read_status,
      coalesce(${messageStates.notificationsDisabled}, 0) AS notifications_disabled,
      (${otherMembers(sql`shown.group_key`, CALLER)}) AS members
    FROM shown
    CROSS JOIN ${messageGroups} ON ${messageGroups.key} = shown.group_key
    CROSS JOIN ${messages}
      ON ${messages.id} = iif(shown.is_newest, ${messageGroups.newestId}, ${messageGroups.earlierId})
    CROSS JOIN ${customers} AS initial ON initial.key = ${messageGroups.initialCustomerKey}
    CROSS JOIN ${customers} AS sender ON sender.key = ${messages.customerKey}
    LEFT JOIN ${messageStates}
      ON ${messageStates.groupKey} = shown.group_key AND ${messageStates.customerKey} = ${CALLER}
    ORDER BY shown.at DESC, shown.group_id`;
}

/**
 * The page's groups, each with the time of the message that it shows: its newest, or, until that one's second is over,
 * the newest of an earlier second. One scan of the index, besides the groups with a message that is not older than the current
 * second: only for these is the horizon read, which is never before that second.
 */
function shownMessages(value: (name: PageValues) => Placeholder, after: CursorValues | undefined): SQL {
  const news = messageGroupNews;
  const callers = sql`${news.customerKey} = ${customerKeyOf(value("customerId"))}`;
  const isNewest = sql`${news.newestAt} < (SELECT at FROM message_horizon)`;
  const inPage = (at: SQL) => {
    const afterCursor =
      after && sql`AND ${at} <= ${after.time} AND (${at} < ${after.time} OR ${news.groupId} > ${after.groupId})`;
    return sql`${at} > ${value("checkTime")} ${afterCursor ?? sql``}`;
  };
  return sql`
    SELECT ${news.customerKey}, ${news.groupKey}, ${news.groupId}, ${news.newestAt} AS at, 1
    FROM ${news}
    WHERE ${callers} AND ${news.newestAt} < ${overBefore(after)} AND ${inPage(sql`${news.newestAt}`)}
    UNION ALL
    SELECT customer_key, group_key, group_id, at, is_newest FROM (
      SELECT
        ${news.customerKey}, ${news.groupKey}, ${news.groupId}, ${isNewest} AS is_newest,
        iif(${isNewest}, ${news.newestAt}, ${messageGroups.earlierAt}) AS at
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
    ) ORDER BY member.position)
    FROM ${messageGroupMembers} AS member
    CROSS JOIN ${customers} ON ${customers.key} = member.customer_key
    WHERE member.group_key = ${groupKey} AND member.customer_key <> ${callerKey}`;
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
