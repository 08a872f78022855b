import { sql } from "drizzle-orm";
import { memberships } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";
import type { Line } from "./kind.ts";
import { store } from "./store.ts";

const ROUND = memberships.round.name;

export const membership = defineKind(memberships, {
  record: "membership",
  fields: {
    store_id: Id,
    customer_id: Id,
    referrer_id: orNull(Id),
    joined_at: orNull(FedTime),
  },
  key: ["store_key", "customer_key"],
  references: { store_id: store, customer_id: customer, referrer_id: customer },
  faults: [
    {
      field: "referrer_id",
      text: "must be a member of the store, stored or on an earlier line",
      // A trigger links a membership that is written to its referrer in `team_links`, if the referrer is a member by then. So
      // a missing link is the fault. The lookup names all columns of the primary key, also the member's name and id. A member
      // who is their own referrer gets a link, so the first condition excludes them.
      when: sql`referrer_id = customer_id OR (referrer_key IS NOT NULL AND store_key IS NOT NULL AND EXISTS (
        SELECT 1 FROM customers
        WHERE customers.key = line.customer_key AND NOT EXISTS (
          SELECT 1 FROM team_links AS link
          WHERE link.store_key = line.store_key AND link.ancestor_key = line.referrer_key
            AND link.joined IN (0, 1) AND link.depth = 1
            AND link.name = customers.name AND link.descendant_id = customers.id
        )
      ))`,
    },
  ],
  arrange: referrersFirst,
  // A member who leaves keeps the row, so that the members below keep their places in the tree.
  deletion: { column: "joined", is: 0 },
  // A member comes after the referrer. docs/decisions.md says why most programs need only two rounds.
  scans: [{ when: `${ROUND} = 0` }, { order: [ROUND, "store_key", "customer_key"], when: `${ROUND} > 0` }],
});

/**
 * Puts each member after the referrer, if the referrer's first line is before the member's line. A referrer on a later line
 * is not moved, so the fault above refuses the member. So it also refuses at least one member of a circle of referrers.
 */
function referrersFirst(lines: readonly Line[]): Line[] {
  const keyOf = (storeId: unknown, customerId: unknown) => JSON.stringify([storeId, customerId]);
  const byKey = new Map(lines.map((line) => [keyOf(line.values.store_id, line.values.customer_id), line]));
  const arranged = new Set<Line>();
  for (const line of lines) {
    const chain = new Set<Line>();
    for (let member: Line | undefined = line; member !== undefined; ) {
      chain.add(member);
      const referrer = byKey.get(keyOf(member.values.store_id, member.values.referrer_id));
      const goesFirst: boolean = referrer !== undefined && referrer.order < member.number;
      member = goesFirst && referrer && !arranged.has(referrer) && !chain.has(referrer) ? referrer : undefined;
    }
    for (const member of [...chain].reverse()) arranged.add(member);
  }
  return [...arranged];
}
