import { type AnyColumn, type Placeholder, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type Database, type RowOf, type Value } from "../../db/database.ts";
import { select } from "../../db/select.ts";
import { entryValue, hasMoreAfter, selectStepwise } from "../../db/stepwise.ts";
import {
  customers,
  messageClock,
  messageGroupMembers,
  messageGroupNews,
  messageGroups,
  messageStates,
  messages,
} from "../../db/tables/index.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { friendStatus, hasBlocked } from "../../domain/friendships.ts";
import type { Page, Paged } from "../../http/paging.ts";
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
 * (docs/contract/interface.md, 4.2): those of seconds before the last stamp of the copy that is asked. One round trip; a
 * page after another one takes a second, at the primary, if the copy does not have all that the first page has shown.
 */
export async function findMessageGroups(db: Database, query: MessageGroupsQuery): Promise<Paged<MessageGroup>> {
  const { customerId, checkTime = "", page, after } = query;
  if (after === undefined) return pageOf(await db.all(pageByNumber({ customerId, checkTime, ...page })));
  const { time, groupId } = after;
  const statement = pageAfter({ customerId, checkTime, limit: page.limit, offset: 0, time, groupId });
  const read = () => db.batch([selectStamp(), statement]);
  let [[clock], rows] = await read();
  if (clock === undefined || clock.stamp <= after.upTo) {
    db.goToPrimary();
    [, rows] = await read();
  }
  return pageOf(rows);
}

const pageOf = (rows: GroupRow[]) => ({ items: rows.map(toGroup), hasMore: hasMoreAfter(rows) });
const selectStamp = () => select({ stamp: messageClock.stamp }, sql`FROM ${messageClock}`);

type PageValue = "customerId" | "checkTime" | "limit" | "offset";
type CursorValues = Record<"time" | "groupId", Placeholder>;

const pageByNumber = compileOnce((value: Value<PageValue>) => selectGroups(value, undefined));
const pageAfter = compileOnce((value: Value<PageValue | keyof CursorValues>) =>
  selectGroups(value, { time: value("time"), groupId: value("groupId") }),
);

const CALLER = sql.raw("step.caller");
const [GROUP_KEY, SHOWN_AT, IS_NEWEST] = [entryValue(0), entryValue(1), entryValue(2)];
/** Of the seconds before its last stamp a copy of the database has all messages. */
const STAMP = sql`(SELECT ${messageClock.stamp} FROM ${messageClock})`;
const initial = alias(customers, "initial");
const sender = alias(customers, "sender");
const member = alias(messageGroupMembers, "member");

function selectGroups(value: Value<PageValue>, after: CursorValues | undefined) {
  return selectStepwise({
    list: sql`(${shownMessages(value, after)})`,
    entry: sql`group_key, at, is_newest`,
    limit: value("limit"),
    constants: { caller: sql`${customerKeyOf(value("customerId"))}` },
    fields: {
      group_id: sql<string>`${messageGroups.id}`,
      group_image: messageGroups.groupImage,
      last_message: messages.body,
      last_message_time: sql<string>`${SHOWN_AT}`,
      initial_customer_id: initial.id,
      initial_customer_name: sql<string>`${initial.name}`,
      initial_customer_avatar: initial.avatar,
      last_customer: sender.id,
      last_customer_name: sql<string>`${sender.name}`,
      last_customer_avatar: sender.avatar,
      read_status: sql<0 | 1>`iif(${sender.key} = ${CALLER} OR ${messageStates.readAt} >= ${SHOWN_AT}, 1, 0)`,
      notifications_disabled: sql<0 | 1>`coalesce(${messageStates.notificationsDisabled}, 0)`,
      members: sql<string>`(${otherMembers(sql`${messageGroups.key}`, CALLER)})`,
    },
    joins: sql`
      CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${GROUP_KEY}
      CROSS JOIN ${messages} ON ${messages.id} = iif(${IS_NEWEST}, ${messageGroups.newestId}, ${messageGroups.earlierId})
      CROSS JOIN ${customers} AS ${initial} ON ${initial.key} = ${messageGroups.initialCustomerKey}
      CROSS JOIN ${customers} AS ${sender} ON ${sender.key} = ${messages.customerKey}
      LEFT JOIN ${messageStates}
        ON ${messageStates.groupKey} = ${messageGroups.key} AND ${messageStates.customerKey} = ${CALLER}`,
    long: {
      json: ["members"],
      texts: ["group_image", "last_message", "initial_customer_avatar", "last_customer_avatar"],
    },
  });
}

/**
 * The page's groups, each with the time of the message that it shows: its newest, or, until that one is shown, the newest
 * of an earlier second. One scan of the index, besides the groups with a message that is not shown.
 */
function shownMessages(value: Value<PageValue>, after: CursorValues | undefined): SQL {
  const news = messageGroupNews;
  const callers = sql`${news.customerKey} = ${customerKeyOf(value("customerId"))}`;
  const inPage = (at: AnyColumn) => {
    const afterCursor =
      after && sql`AND ${at} <= ${after.time} AND (${at} < ${after.time} OR ${news.groupId} > ${after.groupId})`;
    return sql`${at} > ${value("checkTime")} ${afterCursor ?? sql``}`;
  };
  const group = sql`${news.groupKey} AS group_key, ${news.groupId} AS group_id`;
  return sql`
    SELECT ${group}, ${news.newestAt} AS at, 1 AS is_newest
    FROM ${news}
    WHERE ${callers} AND ${news.newestAt} < ${STAMP} AND ${inPage(news.newestAt)}
    UNION ALL
    SELECT ${group}, ${messageGroups.earlierAt} AS at, 0
    FROM ${news} CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${news.groupKey}
    WHERE ${callers} AND ${news.newestAt} = ${STAMP} AND ${inPage(messageGroups.earlierAt)}
    ORDER BY at DESC, group_id
    LIMIT 1 + ${value("limit")} OFFSET ${value("offset")}`;
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
