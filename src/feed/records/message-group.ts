import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Statement } from "../../db/database.ts";
import { messageGroupMembers, messageGroups } from "../../db/tables.ts";
import type { FieldMessages } from "../../values/messages.ts";
import { orNull } from "../../values/scalar.ts";
import { Field, Id, mustBe } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { Fault, Row, StateKind, Target } from "./kind.ts";

export const MESSAGE_GROUPS: Target = { table: "message_groups" };

const MEMBERS = { fewest: 2, most: 100 };
const MEMBERS_RANGE = `must be ${MEMBERS.fewest} to ${MEMBERS.most} customers`;

export const messageGroup: StateKind = {
  type: "state",
  record: "message_group",
  table: messageGroups,
  fields: z.object({
    id: Id,
    initial_customer_id: Id,
    member_ids: z
      .array(Id, { error: mustBe("an array of customer ids") })
      .min(MEMBERS.fewest, MEMBERS_RANGE)
      .max(MEMBERS.most, MEMBERS_RANGE),
    group_image: orNull(Field),
    created_at: orNull(Datetime),
  }),
  rules: membersRules,
  toRow: (record) => ({ ...record, members: memberIds(record).length }),
  columns: ["id", "initial_customer_id", "group_image", "created_at"],
  key: ["id"],
  global: true,
  fixed: ["initial_customer_id"],
  times: ["created_at"],
  references: [
    { field: "initial_customer_id", to: CUSTOMERS },
    { field: "member_ids", to: CUSTOMERS, items: { list: "listed_member", column: "customer_id" } },
  ],
  lists: [
    {
      name: "listed_member",
      field: "member_ids",
      item: "customer_id",
      stored: { table: messageGroupMembers, of: "group_id" },
      write: listMembers,
    },
  ],
  checked: ["members"],
  faults: [
    {
      field: "member_ids",
      text: "names a record that is not stored",
      // Whoever another line erases is no longer among the members by now.
      when: sql`members <> (SELECT count(*) FROM message_group_members WHERE group_id = message_group.id)`,
    },
  ],
};

/** The fault of a line, of the kind with this name, whose customer is no member of its group. */
export function noMember(record: string): Fault {
  const [group, customer] = [sql.raw(`${record}.group_id`), sql.raw(`${record}.customer_id`)];
  return {
    field: "customer_id",
    text: "must be a member of the group",
    when: sql`EXISTS (SELECT 1 FROM message_groups WHERE id = ${group}) AND NOT EXISTS (
      SELECT 1 FROM message_group_members AS member WHERE member.group_id = ${group} AND member.customer_id = ${customer}
    )`,
  };
}

function memberIds({ member_ids }: Row): string[] {
  return Array.isArray(member_ids) ? member_ids : [];
}

function membersRules(record: Row): FieldMessages {
  // A line that deletes has a key only.
  if (record.member_ids === undefined) return {};
  const ids = new Set(memberIds(record));
  const texts = [
    ...(ids.size < memberIds(record).length ? ["must not name a customer twice"] : []),
    ...(ids.has(String(record.initial_customer_id)) ? [] : ["must name the initial customer too"]),
  ];
  return texts.length > 0 ? { member_ids: texts } : {};
}

/** Makes the members of each group those of its line, in that order; who stays is not written again. */
function listMembers(given: SQL): Statement[] {
  return [
    sql`${given}
      DELETE FROM message_group_members WHERE (group_id, customer_id) IN (
        SELECT stored.group_id, stored.customer_id
        FROM fed CROSS JOIN message_group_members AS stored ON stored.group_id = fed.id
        EXCEPT SELECT id, item FROM listed
      )`,
    sql`${given}
      INSERT INTO message_group_members (group_id, customer_id, place, newest_at)
      SELECT listed.id, listed.item, listed.place, message_groups.newest_at
      FROM listed JOIN message_groups ON message_groups.id = listed.id WHERE true
      ON CONFLICT (group_id, customer_id) DO UPDATE SET place = excluded.place WHERE place <> excluded.place`,
  ];
}
