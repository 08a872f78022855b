import { type SQL, sql } from "drizzle-orm";
import { Count } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import type { StateKind } from "./kind.ts";
import { memberList, messageGroup, twice } from "./message-group.ts";

/** A message group as it was: erasures may have left anybody in it or nobody, and others of its id came before it. */
export const restoredMessageGroup: StateKind = {
  ...messageGroup,
  fields: messageGroup.fields.extend({ member_ids: memberList(0), removals: orElse(Count, 0) }),
  rules: (record) => (twice(record).length > 0 ? { member_ids: twice(record) } : {}),
  sent: ["removals"],
  uses: ["removals"],
  faults: [
    ...(messageGroup.faults ?? []),
    {
      field: "removals",
      text: "must not be less than before",
      when: sql`EXISTS (
        SELECT 1 FROM message_groups AS stored
        WHERE stored.id = message_group.id AND stored.removed = 0 AND stored.removals <> message_group.removals
      )`,
    },
  ],
  prepare: (lines) => [removeEarlier(lines), bringBack(lines)],
  writeItems: (lines) => [setRemovals(lines), removeAllMembers(lines), ...(messageGroup.writeItems?.(lines) ?? [])],
};

/** Removes the group that is stored where the line's has been removed more often. */
function removeEarlier(lines: SQL): SQL {
  return sql`
    UPDATE message_groups SET removed = 1 FROM ${lines} AS line
    WHERE message_groups.id = line.id AND message_groups.removed = 0 AND message_groups.removals < line.removals`;
}

/** Brings the line's group back where it is stored, but removed: its messages may be there. */
function bringBack(lines: SQL): SQL {
  return sql`
    UPDATE message_groups SET removed = 0 FROM ${lines} AS line
    WHERE message_groups.id = line.id AND message_groups.removed = 1 AND message_groups.removals = line.removals
      AND NOT EXISTS (SELECT 1 FROM message_groups AS stored WHERE stored.id = line.id AND stored.removed = 0)`;
}

/** Of a group just written. A trigger has counted the removed ones that are stored, which may be fewer. */
function setRemovals(lines: SQL): SQL {
  return sql`
    UPDATE message_groups SET removals = line.removals FROM ${lines} AS line
    WHERE message_groups.id = line.id AND message_groups.removed = 0 AND message_groups.removals < line.removals`;
}

/** Of groups that have nobody: where a list is empty, no item of it says whose members these are. */
function removeAllMembers(lines: SQL): SQL {
  return sql`
    DELETE FROM message_group_members WHERE group_key IN (
      SELECT message_groups.key FROM ${lines} AS line
      CROSS JOIN message_groups ON message_groups.id = line.id AND message_groups.removed = 0
      WHERE json_array_length(line.member_ids) = 0
    )`;
}
