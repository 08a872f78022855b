import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { messageGroups } from "../../db/tables.ts";
import type { FieldMessages } from "../../values/messages.ts";
import { orNull } from "../../values/scalar.ts";
import { Id, mustBe, ShortText } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import { NOT_STORED, notMember } from "./faults.ts";
import { type Fields, itemsOf, type Kind } from "./kind.ts";
import { upsert } from "./statements.ts";

const MEMBERS_LIMIT = 100;

const fields = {
  id: Id,
  initial_customer_id: Id,
  member_ids: memberIds(2),
  group_image: orNull(ShortText),
  created_at: orNull(FedTime),
};

export const messageGroup: Kind = defineKind(messageGroups, {
  record: "message_group",
  fields,
  rules: (record) => membersRules(record, { withInitial: true }),
  groupField: "id",
  references: { initial_customer_id: customer },
  list: { field: "member_ids", of: customer },
  faults: [
    {
      field: "member_ids",
      text: NOT_STORED,
      // A customer who is not stored, or whom another line erases, does not become a member.
      when: sql`line.item_count <> (
        SELECT count(*) FROM message_groups AS stored
        JOIN message_group_members AS member ON member.group_key = stored.key
        WHERE stored.id = line.id
      )`,
    },
  ],
  // Members are written from `all`, so that they are checked even if the initial customer of the line is not stored.
  write: (lines, all) => [upsert(messageGroup, lines), removeFormerMembers(all), writeMembers(all)],
  remove: removeGroups,
  exportPageLimit: "sentBytes",
  isAboutCustomer: (customerKey) => `EXISTS (
    SELECT 1 FROM message_group_members AS member
    WHERE member.group_key = message_groups.key AND member.customer_key = ${customerKey}
  )`,
  scans: [{ leftOut: "message_groups.id IS NULL" }],
  readBack: {
    member_ids: {
      sql: `(
        SELECT json_group_array(customers.id ORDER BY member.position)
        FROM message_group_members AS member CROSS JOIN customers ON customers.key = member.customer_key
        WHERE member.group_key = message_groups.key
      )`,
      isJson: true,
    },
  },
  // A restored group (docs/contract/restore.md, 2) may have lost members by erasures, even all.
  restored: {
    fields: z.object({ ...fields, member_ids: memberIds(0) }),
    rules: (record) => membersRules(record, { withInitial: false }),
  },
});

export const NOT_A_MEMBER = notMember("message_group_members", "group_key", "must be a member of the group");

function memberIds(fewest: number) {
  const range = `must be ${fewest} to ${MEMBERS_LIMIT} customers`;
  return z
    .array(Id, { error: mustBe("an array of customer ids") })
    .min(fewest, range)
    .max(MEMBERS_LIMIT, range);
}

function membersRules(line: Fields, { withInitial }: { withInitial: boolean }): FieldMessages {
  const ids = itemsOf("member_ids", line);
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
    SELECT message_groups.key, customers.key, item.key
    FROM ${lines} AS line
    CROSS JOIN message_groups ON message_groups.id = line.id
    CROSS JOIN json_each(line.member_ids) AS item
    CROSS JOIN customers ON customers.id = item.value AND customers.erased = 0
  )`;
}

function removeFormerMembers(lines: SQL): SQL {
  // EXCEPT is faster than NOT IN, which looks for a NULL: it reads the whole list for each pair that it does not find.
  // Without `SELECT * FROM`, SQLite would use no index for the IN, and would read all members of all groups.
  return sql`${withListedMembers(lines)}
    DELETE FROM message_group_members WHERE (group_key, customer_key) IN (
      SELECT * FROM (
        SELECT member.group_key, member.customer_key
        FROM (SELECT id FROM ${lines}) AS line
        CROSS JOIN message_groups ON message_groups.id = line.id
        CROSS JOIN message_group_members AS member ON member.group_key = message_groups.key
        EXCEPT SELECT group_key, customer_key FROM listed
      )
    )`;
}

function writeMembers(lines: SQL): SQL {
  return sql`${withListedMembers(lines)}
    INSERT INTO message_group_members (group_key, customer_key, position)
    SELECT group_key, customer_key, position FROM listed WHERE true
    ON CONFLICT (group_key, customer_key) DO UPDATE SET position = excluded.position
    WHERE position <> excluded.position`;
}

/**
 * Removes the members of groups first: the trigger of their removal reads the group's id and the time of its newest message.
 * A removed group keeps its row, because its messages stay. Without an id, no line can name it.
 */
function removeGroups(lines: SQL): SQL[] {
  const isNamed = sql`id IN (SELECT id FROM ${lines})`;
  return [
    sql`DELETE FROM message_group_members WHERE group_key IN (SELECT key FROM message_groups WHERE ${isNamed})`,
    sql`UPDATE message_groups SET id = NULL, newest_id = NULL, newest_at = NULL, earlier_id = NULL, earlier_at = NULL
      WHERE ${isNamed} RETURNING 1`,
  ];
}
