import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { updateNewestMessages } from "../../db/derived/newest-messages.ts";
import { messageGroups } from "../../db/tables/index.ts";
import { orElse } from "../../values/scalar.ts";
import { mustBe } from "../../values/text.ts";
import type { EventKind, Target } from "./kind.ts";
import { message, takeStamp } from "./message.ts";
import { Removals } from "./restored-message-group.ts";

/** The group of this id with so many removals before it, whether it is removed or not: each has an index of its own. */
const GROUP_OF_MESSAGE: Target = {
  table: messageGroups,
  stored: (row) => `${row}.removals = given.removals AND (${row}.removed = 0 OR ${row}.removed = 1)`,
};

/** A message as it was: at its time, from whoever is a member no longer, in a group that is removed. */
export const restoredMessage: EventKind = {
  ...message,
  fields: message.fields.extend({
    removals: Removals,
    last: orElse(z.boolean({ error: mustBe("true or false") }), true),
  }),
  columns: { ...message.columns, sent_at: { sql: timeOf("line.sent_at"), field: "sent_at" } },
  references: { ...message.references, group_id: GROUP_OF_MESSAGE },
  sent: ["removals"],
  uses: ["sent_at", "removals", "last"],
  faults: [],
  prepare: addRemovedGroups,
  totals: (fresh) => [
    takeStamp(fresh, sql`EXISTS (SELECT 1 FROM message WHERE sent_at IS NULL)`),
    updateNewestMessages(fresh, {
      time: sql.raw(timeOf("sent_at")),
      // One that was not the last of its second does not take the place of a stored one.
      rank: sql`iif(last, line, -line)`,
    }),
  ],
};

function timeOf(sentAt: string): string {
  return `coalesce(${sentAt}, (SELECT stamp FROM message_clock))`;
}

/**
 * Adds the removed groups that messages belong to: what is left of such a group is its messages. All else that its row
 * needs is taken from a later group of the id, without which there is nothing to belong to. The later one may be a
 * removed one, while the message's own group has come back.
 */
function addRemovedGroups(lines: SQL): SQL[] {
  const later = (removed: 0 | 1) => sql`
    SELECT key FROM message_groups
    WHERE id = given.group_id AND removed = ${sql.raw(String(removed))} AND removals > given.removals`;
  return [
    sql`
      INSERT INTO message_groups (id, initial_customer_key, created_at, removals, removed)
      SELECT given.group_id, later.initial_customer_key, later.created_at, given.removals, 1
      FROM (SELECT DISTINCT group_id, removals FROM ${lines}) AS given
      CROSS JOIN message_groups AS later ON later.key = coalesce((${later(0)}), (${later(1)} LIMIT 1))
      WHERE NOT EXISTS (
        SELECT 1 FROM message_groups AS stored
        WHERE stored.id = given.group_id AND stored.removed = 0 AND stored.removals = given.removals
      )
      ON CONFLICT (id, removals) WHERE removed = 1 DO NOTHING`,
  ];
}
