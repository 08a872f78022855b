import { sql } from "drizzle-orm";
import * as z from "zod";
import { memberships } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { Line, StateKind } from "./kind.ts";
import { STORES } from "./store.ts";

export const membership: StateKind = {
  type: "state",
  record: "membership",
  table: memberships,
  fields: z.object({
    store_id: Id,
    customer_id: Id,
    referrer_id: orNull(Id),
    joined_at: orNull(Datetime),
  }),
  key: ["store_id", "customer_id"],
  fixed: ["referrer_id"],
  keeps: ["referrer_id"],
  times: ["joined_at"],
  references: [
    { field: "store_id", to: STORES },
    { field: "customer_id", to: CUSTOMERS },
    { field: "referrer_id", to: CUSTOMERS },
  ],
  faults: [
    {
      field: "referrer_id",
      text: "must be a member of the store, stored or on an earlier line",
      // The link is made when the membership is written, if the referrer is there by then.
      when: sql`referrer_id = customer_id OR (referrer_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM customers
        WHERE customers.id = membership.customer_id AND NOT EXISTS (
          SELECT 1 FROM team_links AS link
          WHERE link.store_id = membership.store_id AND link.ancestor_id = membership.referrer_id
            AND link.joined IN (0, 1) AND link.depth = 1
            AND link.name = customers.name AND link.descendant_id = membership.customer_id
        )
      ))`,
    },
  ],
  deletion: { column: "joined", live: 1 },
  arrange: referrersFirst,
};

/**
 * Members after the referrers who stand on an earlier line, so that each finds its referrer there. Who refers to a
 * later line is written before it, and so found out; of a circle, at least one is.
 */
function referrersFirst(lines: readonly Line[]): Line[] {
  const keyOf = (storeId: unknown, customerId: unknown) => JSON.stringify([storeId, customerId]);
  const byKey = new Map(lines.map((line) => [keyOf(line.row.store_id, line.row.customer_id), line]));
  const arranged = new Set<Line>();
  for (const line of lines) {
    const chain: Line[] = [];
    const inChain = new Set<Line>();
    for (let member: Line | undefined = line; member !== undefined; ) {
      chain.push(member);
      inChain.add(member);
      const referrer = byKey.get(keyOf(member.row.store_id, member.row.referrer_id));
      const goesFirst: boolean = referrer !== undefined && referrer.place < member.number;
      member = goesFirst && referrer && !arranged.has(referrer) && !inChain.has(referrer) ? referrer : undefined;
    }
    for (const member of chain.reverse()) arranged.add(member);
  }
  return [...arranged];
}
