import { type SQL, sql } from "drizzle-orm";
import { Count } from "../../values/number.ts";
import { orElse } from "../../values/scalar.ts";
import type { StateKind } from "./kind.ts";
import { memberList, messageGroup, twice } from "./message-group.ts";

/**
 * How many groups of an id were removed before one. Each removal in use counts on from it, so the largest leaves room
 * below the largest whole number that a line may hold: else an export would hold what no restore takes.
 */
export const Removals = orElse(Count.max(1_000_000, "must be at most 1000000"), 0);

/** A message group as it was: erasures may have left anybody in it or nobody, and others of its id came before it. */
export const restoredMessageGroup: StateKind = {
  ...messageGroup,
  fields: messageGroup.fields.extend({ member_ids: memberList(0), removals: Removals }),
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
  const earlier = sql`stored.removed = 0 AND stored.removals < line.removals`;
  return sql`UPDATE message_groups SET removed = 1 WHERE key IN (SELECT key FROM (${storedGroups(lines, earlier)}))`;
}

/** Brings the line's group back where it is stored, but removed: its messages may be there. */
function bringBack(lines: SQL): SQL {
  const same = sql`stored.removed = 1 AND stored.removals = line.removals
    AND NOT EXISTS (SELECT 1 FROM message_groups AS other WHERE other.id = line.id AND other.removed = 0)`;
  return sql`UPDATE message_groups SET removed = 0 WHERE key IN (SELECT key FROM (${storedGroups(lines, same)}))`;
}

/** Of a group just written. A trigger has counted the removed ones that are stored, which may be fewer. */
function setRemovals(lines: SQL): SQL {
  const fewer = sql`stored.removed = 0 AND stored.removals < line.removals`;
  return sql`
    WITH counted(key, removals) AS MATERIALIZED (${storedGroups(lines, fewer)})
    UPDATE message_groups SET removals = (SELECT counted.removals FROM counted WHERE counted.key = message_groups.key)
    WHERE key IN (SELECT key FROM counted)`;
}

/**
 * The stored groups of the lines, each with the line's `removals`: from the lines to the groups, because SQLite would go
 * through all groups for each line.
 */
function storedGroups(lines: SQL, where: SQL): SQL {
  return sql`
    SELECT stored.key, line.removals FROM ${lines} AS line
    CROSS JOIN message_groups AS stored ON stored.id = line.id
    WHERE ${where}`;
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
