import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { compileOnce, type Database, type PlaceholderOf, type RowOf } from "../../db/database.ts";
import { customerKeyOf, friendStatus, hasBlocked } from "../../db/rules.ts";
import { jsonOf, select } from "../../db/select.ts";
import { entryValue, hasMoreAfter, selectStepwise } from "../../db/stepwise.ts";
import {
  customers,
  messageGroupMembers,
  messageGroupNews,
  messageGroups,
  messageStates,
  messages,
  programState,
} from "../../db/tables.ts";
import type { Page, Paged } from "../../http/paging.ts";
import { POLL_BYTES } from "../../values/answer-bytes.ts";
import type { Cursor } from "./routes.ts";

export interface MessageGroupsQuery {
  customerId: string;
  /** Only groups whose last message is later than this time; empty: all. */
  checkTime: string;
  page: Page;
  /** The last group of the page before. The page begins after it, whatever the offset. */
  after: Cursor | undefined;
}

export type GroupRow = RowOf<ReturnType<typeof selectGroups>>;

/**
 * The caller's groups that show a message, newest message first, then by id (docs/contract/interface.md, 4.2). A copy of the
 * database shows the messages of seconds before its last stamp. One round trip. A later page takes another one, at the
 * primary, if the copy lacks messages that the first page has shown.
 */
export async function findMessageGroups(db: Database, query: MessageGroupsQuery): Promise<Paged<GroupRow>> {
  const { customerId, checkTime, page, after } = query;
  const { limit, offset } = page;
  if (after === undefined)
    return pageOf(await db.all(selectGroups({ customerId, checkTime, limit, offset, time: "~", groupId: "" })));
  const { time, group_id: groupId } = after;
  const statement = selectGroups({ customerId, checkTime, limit, offset: 0, time, groupId });
  const read = () => db.batch([selectStamp(), statement]);
  let [[clock], rows] = await read();
  if (clock === undefined || clock.stamp <= after.up_to) {
    db.goToPrimary();
    [, rows] = await read();
  }
  return pageOf(rows);
}

const pageOf = (rows: GroupRow[]) => ({ items: rows, hasMore: hasMoreAfter(rows) });
const selectStamp = () => select({ stamp: programState.stamp }, sql`FROM ${programState}`);

/** `time` and `groupId` are of the last group that the answers before have shown. */
type Placeholders = PlaceholderOf<"customerId" | "checkTime" | "limit" | "offset" | "time" | "groupId">;

/** The columns of each step, as `constants` and `entry` of `selectGroups` list them. */
const CALLER = sql.raw("step.caller");
const [GROUP_KEY, SHOWN_AT, IS_NEWEST] = [entryValue(0), entryValue(1), entryValue(2)];
/** The last stamp. No message is later, and messages of earlier seconds are shown (docs/architecture.md, "The clock"). */
const STAMP = sql`(SELECT ${programState.stamp} FROM ${programState})`;
const initial = alias(customers, "initial");
const sender = alias(customers, "sender");
const member = alias(messageGroupMembers, "member");

const selectGroups = compileOnce((placeholder: Placeholders) =>
  selectStepwise({
    list: sql`(${shownMessages(placeholder)})`,
    entry: sql`group_key, at, is_newest`,
    limit: placeholder("limit"),
    bytes: POLL_BYTES,
    constants: { caller: sql`${customerKeyOf(placeholder("customerId"))}` },
    fields: {
      // For the cursor, because `record` is not parsed.
      group_id: sql<string>`${messageGroups.id}`,
      last_message_time: sql<string>`${SHOWN_AT}`,
      record: jsonOf({
        group_id: messageGroups.id,
        group_image: messageGroups.group_image,
        last_message: messages.body,
        last_message_time: SHOWN_AT,
        initial_customer_id: initial.id,
        initial_customer_name: initial.name,
        initial_customer_avatar: initial.avatar,
        last_customer: sender.id,
        last_customer_name: sender.name,
        last_customer_avatar: sender.avatar,
        read_status: sql`iif(${sender.key} = ${CALLER} OR ${messageStates.read_at} >= ${SHOWN_AT}, 1, 0)`,
        notifications_disabled: sql`coalesce(${messageStates.notifications_disabled}, 0)`,
      }),
      others: sql<string>`(${otherMembers(sql`${messageGroups.key}`, CALLER)})`,
    },
    joins: sql`
      CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${GROUP_KEY}
      CROSS JOIN ${messages} ON ${messages.id} = iif(${IS_NEWEST}, ${messageGroups.newest_id}, ${messageGroups.earlier_id})
      CROSS JOIN ${customers} AS ${initial} ON ${initial.key} = ${messageGroups.initial_customer_key}
      CROSS JOIN ${customers} AS ${sender} ON ${sender.key} = ${messages.customer_key}
      LEFT JOIN ${messageStates}
        ON ${messageStates.group_key} = ${messageGroups.key} AND ${messageStates.customer_key} = ${CALLER}`,
    long: ["record", "others"],
  }),
);

/**
 * The page's groups, each with the time of the message that it shows. That is its newest message, or, until that is shown,
 * the newest of an earlier second. SQLite scans the index once, and looks up groups with a message that is not shown.
 */
function shownMessages(placeholder: Placeholders): SQL {
  const news = messageGroupNews;
  const callers = sql`${news.customer_key} = ${customerKeyOf(placeholder("customerId"))}`;
  const inPage = (at: AnyColumn) => sql`${at} > ${placeholder("checkTime")} AND ${at} <= ${placeholder("time")}
    AND (${at} < ${placeholder("time")} OR ${news.group_id} > ${placeholder("groupId")})`;
  const group = sql`${news.group_key} AS group_key, ${news.group_id} AS group_id`;
  return sql`
    SELECT ${group}, ${news.newest_at} AS at, 1 AS is_newest
    FROM ${news}
    WHERE ${callers} AND ${news.newest_at} < ${STAMP} AND ${inPage(news.newest_at)}
    UNION ALL
    SELECT ${group}, ${messageGroups.earlier_at} AS at, 0
    FROM ${news} CROSS JOIN ${messageGroups} ON ${messageGroups.key} = ${news.group_key}
    WHERE ${callers} AND ${news.newest_at} = ${STAMP} AND ${inPage(messageGroups.earlier_at)}
    ORDER BY at DESC, group_id
    LIMIT 1 + ${placeholder("limit")} OFFSET ${placeholder("offset")}`;
}

/**
 * The group's name and its members without the caller, as JSON. The name lists the members whom the caller has not blocked,
 * and counts the others (docs/contract/interface.md, 4.2).
 */
function otherMembers(groupKey: SQL, callerKey: SQL): SQL {
  const memberKey = sql`${customers.key}`;
  // SQLite writes a fraction in JSON with 15 digits, and a balance may have 16. `printf` is exact, but several times slower.
  const exact = sql`json(printf('%s%d.%02d', iif(balance < 0, '-', ''), abs(balance) / 100, abs(balance) % 100))`;
  const amount = sql`iif(balance % 100 = 0, balance / 100, iif(abs(balance) < 1e15, balance / 100.0, ${exact}))`;
  return sql`
    SELECT json_object(
      'group_name', concat_ws(' ',
        nullif(group_concat(name, ', ') FILTER (WHERE NOT is_blocked), ''),
        '(' || nullif(count(*) FILTER (WHERE is_blocked), 0) || ' blocked)'
      ),
      'group_members', json_group_array(json_object(
        'id', id, 'name', name, 'avatar', avatar, 'customer_description', customer_description,
        'friend_status', friend_status, 'total_balance', ${amount},
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
