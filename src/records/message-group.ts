import { type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { byDatabase, bySql, fed, fedTime, fixed, key, keyOf, refersTo, rowKey, unstored } from "../db/columns.ts";
import { type Fields, type Kind, NOT_STORED } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { columnNames, joinWithCommas } from "../db/select.ts";
import type { FieldMessages } from "../values/messages.ts";
import { orNull } from "../values/scalar.ts";
import { Id, mustBe, ShortText } from "../values/text.ts";
import { FedTime } from "../values/time.ts";
import { currentLife, customer, customers, Life, lifeIn } from "./customer.ts";

const MEMBERS_LIMIT = 100;

const initialLife = (fields: { initial_life?: typeof Life }, value: SQL) => bySql(integer().notNull(), fields, value);

/**
 * A group of customers who write to each other. A removed group loses its id and keeps its row, because its messages stay. If
 * a group is written again under the same id, it gets another row, and so has none of the old messages.
 */
const record = state(
  "message_group",
  "message_groups",
  {
    key: rowKey(),
    /** NULL: removed. */
    id: key(fed(text().unique(), Id)),
    initial_customer_key: fixed(refersTo(customer, { initial_customer_id: Id })),
    /** In which life of that customer: after an erasure the name stays empty. */
    initial_life: initialLife({}, currentLife(sql`line.initial_customer_key`)),
    member_ids: unstored(memberIds(2)),
    group_image: fed(text(), orNull(ShortText)),
    created_at: fedTime(orNull(FedTime)),
    /** Derived: the newest message, and the newest of an earlier second, shown until the second of the newest is over. */
    newest_id: byDatabase(text()),
    newest_at: byDatabase(text()),
    earlier_id: byDatabase(text()),
    earlier_at: byDatabase(text()),
  },
  {
    rules: (line) => membersRules(line, { withInitial: true }),
    groupField: "id",
    list: { field: "member_ids", of: customer },
    hasLongRows: true,
  },
);
export const messageGroups = record.table;

export const messageGroupMembers = sqliteTable(
  "message_group_members",
  {
    group_key: keyOf(record).notNull(),
    customer_key: keyOf(customer).notNull(),
    /** In the list of the group, from 0. */
    position: integer().notNull(),
  },
  ({ group_key, customer_key }) => [primaryKey({ columns: [group_key, customer_key] })],
);

/** Derived: the groups of each customer, newest message first, so that a poll reads only the groups with news. */
export const messageGroupNews = sqliteTable(
  "message_group_news",
  {
    customer_key: integer().notNull(),
    /** The time of the group's newest message; empty: it has none. */
    newest_at: text().notNull(),
    group_id: text().notNull(),
    group_key: integer().notNull(),
  },
  ({ customer_key, newest_at, group_id }) => [primaryKey({ columns: [customer_key, newest_at, group_id] })],
);

const members = messageGroupMembers;

export const messageGroup = {
  ...record,
  check: [
    {
      field: "member_ids",
      text: NOT_STORED,
      // A customer who is not stored, or whom another line erases, does not become a member.
      when: sql`line.item_count <> (
        SELECT count(*) FROM ${messageGroups} JOIN ${members} ON ${members.group_key} = ${messageGroups.key}
        WHERE ${messageGroups.id} = line.id
      )`,
    },
  ],
  read: {
    fields: {
      initial_life: lifeIn(messageGroups.initial_life),
      member_ids: {
        sql: sql`(
        SELECT json_group_array(${customers.id} ORDER BY ${members.position})
        FROM ${members} CROSS JOIN ${customers} ON ${customers.key} = ${members.customer_key}
        WHERE ${members.group_key} = ${messageGroups.key}
      )`,
        isJson: true,
      },
    },
    isAbout: (customerKey) => sql`EXISTS (
      SELECT 1 FROM ${members} WHERE ${members.group_key} = ${messageGroups.key} AND ${members.customer_key} = ${customerKey}
    )`,
    scans: [{ leftOut: sql`${messageGroups.id} IS NULL` }],
  },
  // Members are written from `all`, so that they are checked even if the initial customer of the line is not stored.
  write: { statements: (upsert, all) => [upsert, removeFormerMembers(all), writeMembers(all)] },
  remove: removeGroups,
  // A restored group (docs/contract/restore.md, 2) may have lost members by erasures, even all.
  restored: {
    fields: record.fields.extend({ member_ids: memberIds(0), initial_life: Life }),
    written: [...record.written, { name: "initial_life", json: false, value: ({ initial_life }) => initial_life ?? 0 }],
    columns: { initial_life: initialLife({ initial_life: Life }, sql`line.initial_life`) },
    rules: (line) => membersRules(line, { withInitial: false }),
  },
} satisfies Kind;

export const NOT_A_MEMBER = {
  field: "customer_id",
  text: "must be a member of the group",
  when: sql`line.group_key IS NOT NULL AND line.customer_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${members} WHERE ${members.group_key} = line.group_key AND ${members.customer_key} = line.customer_key
  )`,
};

function memberIds(fewest: number) {
  const range = `must be ${fewest} to ${MEMBERS_LIMIT} customers`;
  return z
    .array(Id, { error: mustBe("an array of customer ids") })
    .min(fewest, range)
    .max(MEMBERS_LIMIT, range);
}

function membersRules(line: Fields, { withInitial }: { withInitial: boolean }): FieldMessages {
  const ids: readonly unknown[] = Array.isArray(line.member_ids) ? line.member_ids : [];
  const hasDuplicates = new Set(ids).size < ids.length;
  // A line that deletes has no member_ids.
  const lacksInitial = withInitial && line.member_ids !== undefined && !ids.includes(line.initial_customer_id);
  const texts = [
    ...(hasDuplicates ? ["must not name a customer twice"] : []),
    ...(lacksInitial ? ["must name the initial customer too"] : []),
  ];
  return texts.length > 0 ? { member_ids: texts } : {};
}

/** A `WITH` clause with the members that the lines list. */
function withListedMembers(lines: SQL): SQL {
  return sql`WITH listed(group_key, customer_key, position) AS MATERIALIZED (
    SELECT ${messageGroups.key}, ${customers.key}, item.key
    FROM ${lines} AS line
    CROSS JOIN ${messageGroups} ON ${messageGroups.id} = line.id
    CROSS JOIN json_each(line.member_ids) AS item
    CROSS JOIN ${customers} ON ${customers.id} = item.value AND ${customers.erased} = 0
  )`;
}

function removeFormerMembers(lines: SQL): SQL {
  // EXCEPT is faster than NOT IN, which looks for a NULL: it reads the whole list for each pair that it does not find.
  // Without `SELECT * FROM`, SQLite would use no index for the IN, and would read all members of all groups.
  return sql`${withListedMembers(lines)}
    DELETE FROM ${members} WHERE (${members.group_key}, ${members.customer_key}) IN (
      SELECT * FROM (
        SELECT ${members.group_key}, ${members.customer_key}
        FROM (SELECT id FROM ${lines}) AS line
        CROSS JOIN ${messageGroups} ON ${messageGroups.id} = line.id
        CROSS JOIN ${members} ON ${members.group_key} = ${messageGroups.key}
        EXCEPT SELECT group_key, customer_key FROM listed
      )
    )`;
}

function writeMembers(lines: SQL): SQL {
  const { group_key, customer_key, position } = members;
  return sql`${withListedMembers(lines)}
    INSERT INTO ${members} (${columnNames(group_key, customer_key, position)})
    SELECT group_key, customer_key, position FROM listed WHERE true
    ON CONFLICT (${columnNames(group_key, customer_key)}) DO UPDATE SET ${columnNames(position)} = excluded.position
    WHERE ${position} <> excluded.position`;
}

/**
 * Removes the members of groups first: the trigger of their removal reads the group's id and the time of its newest message.
 * Without an id, no line can name the group.
 */
function removeGroups(lines: SQL): SQL[] {
  const { id, newest_id, newest_at, earlier_id, earlier_at } = messageGroups;
  const isNamed = sql`${id} IN (SELECT id FROM ${lines})`;
  const unset = [id, newest_id, newest_at, earlier_id, earlier_at].map((column) => sql`${columnNames(column)} = NULL`);
  return [
    sql`DELETE FROM ${members} WHERE ${members.group_key} IN (SELECT ${messageGroups.key} FROM ${messageGroups} WHERE ${isNamed})`,
    sql`UPDATE ${messageGroups} SET ${joinWithCommas(unset)} WHERE ${isNamed} RETURNING 1`,
  ];
}
