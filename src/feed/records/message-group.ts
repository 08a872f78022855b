import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { messageGroups } from "../../db/tables/index.ts";
import type { FieldMessages } from "../../values/messages.ts";
import { orNull } from "../../values/scalar.ts";
import { Field, Id, mustBe } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineState, type Fault, type Fields, type StateKind, type Target } from "./kind.ts";
import { NOT_STORED } from "./statements.ts";

/** A removed group has no id. */
export const MESSAGE_GROUPS: Target = { table: messageGroups };

const MOST_MEMBERS = 100;

export const messageGroup = defineState(messageGroups, {
  record: "message_group",
  fields: z.object({
    id: Id,
    initial_customer_id: Id,
    member_ids: memberIds(2),
    group_image: orNull(Field),
    created_at: orNull(Datetime),
  }),
  rules: membersRules,
  key: ["id"],
  keyFields: ["id"],
  columns: {
    id: "id",
    initialCustomerKey: { key: "initial_customer_id" },
    groupImage: "group_image",
    createdAt: { time: "created_at" },
  },
  readBack: {
    member_ids: {
      sql: `(
        SELECT json_group_array(customers.id ORDER BY member.position)
        FROM message_group_members AS member CROSS JOIN customers ON customers.key = member.customer_key
        WHERE member.group_key = message_groups.key
      )`,
      json: true,
    },
  },
  export: { walks: [{ order: ["key"], leftOut: "message_groups.id IS NULL" }], lines: 1_000 },
  global: true,
  fixed: ["initialCustomerKey"],
  remove: (lines) => [endMemberships(lines), removeGroups(lines)],
  references: { initial_customer_id: CUSTOMERS },
  list: { field: "member_ids" },
  counts: { members: ({ member_ids }) => idsOf(member_ids).length },
  faults: [
    {
      field: "member_ids",
      text: NOT_STORED,
      // Whoever another line erases is no longer among the members by now.
      when: sql`members <> (
        SELECT count(*) FROM message_groups AS stored
        JOIN message_group_members AS member ON member.group_key = stored.key
        WHERE stored.id = message_group.id
      )`,
    },
  ],
  writeItems: listMembers,
});

/** A group as it was (docs/contract/restore.md, 2): erasures may have left anybody in it, or nobody. */
export const restoredMessageGroup: StateKind = {
  ...messageGroup,
  fields: messageGroup.fields.extend({ member_ids: memberIds(0) }),
  rules: (record) => (twice(record).length > 0 ? { member_ids: twice(record) } : {}),
};

/** The fault of a line, of the kind with this name, whose customer is no member of its group. */
export function noMember(record: string): Fault {
  const [groupKey, customerKey] = [sql.raw(`${record}.group_key`), sql.raw(`${record}.customer_key`)];
  return {
    field: "customer_id",
    text: "must be a member of the group",
    when: sql`${groupKey} IS NOT NULL AND ${customerKey} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM message_group_members AS member
      WHERE member.group_key = ${groupKey} AND member.customer_key = ${customerKey}
    )`,
  };
}

/** A list of customers, in their order. */
function memberIds(fewest: number) {
  const range = `must be ${fewest} to ${MOST_MEMBERS} customers`;
  return z
    .array(Id, { error: mustBe("an array of customer ids") })
    .min(fewest, range)
    .max(MOST_MEMBERS, range);
}

function idsOf(memberIds: unknown): string[] {
  return Array.isArray(memberIds) ? memberIds : [];
}

function twice({ member_ids }: Fields): string[] {
  const ids = idsOf(member_ids);
  return new Set(ids).size < ids.length ? ["must not name a customer twice"] : [];
}

/** A line that deletes has no members. */
function membersRules(record: Fields): FieldMessages {
  if (record.member_ids === undefined) return {};
  const isNamed = idsOf(record.member_ids).includes(String(record.initial_customer_id));
  const texts = [...twice(record), ...(isNamed ? [] : ["must name the initial customer too"])];
  return texts.length > 0 ? { member_ids: texts } : {};
}

/** Makes the members of each group those of its line, in that order; who stays is not written again. */
function listMembers(lines: SQL): SQL[] {
  const listed = sql`listed(group_key, customer_key, position) AS MATERIALIZED (
    SELECT message_groups.key, customers.key, item.key
    FROM ${lines} AS line
    CROSS JOIN message_groups ON message_groups.id = line.id
    CROSS JOIN json_each(line.member_ids) AS item
    CROSS JOIN customers ON customers.id = item.value AND customers.erased = 0
  )`;
  return [
    // Not NOT IN: for each pair that it does not find, SQLite reads the whole list to see whether anything in it is NULL.
    sql`WITH ${listed}
      DELETE FROM message_group_members WHERE (group_key, customer_key) IN (
        SELECT member.group_key, member.customer_key
        FROM (SELECT id FROM ${lines}) AS line
        CROSS JOIN message_groups ON message_groups.id = line.id
        CROSS JOIN message_group_members AS member ON member.group_key = message_groups.key
        EXCEPT SELECT group_key, customer_key FROM listed
      )`,
    sql`WITH ${listed}
      INSERT INTO message_group_members (group_key, customer_key, position)
      SELECT group_key, customer_key, position FROM listed WHERE true
      ON CONFLICT (group_key, customer_key) DO UPDATE SET position = excluded.position
      WHERE position <> excluded.position`,
  ];
}

function endMemberships(lines: SQL): SQL {
  return sql`
    DELETE FROM message_group_members WHERE group_key IN (
      SELECT key FROM message_groups WHERE id IN (SELECT id FROM ${lines})
    )`;
}

/** A removed group keeps its row without an id: its messages stay, so that theirs stay used. */
function removeGroups(lines: SQL): SQL {
  return sql`UPDATE message_groups SET id = NULL WHERE id IN (SELECT id FROM ${lines}) RETURNING 1`;
}
