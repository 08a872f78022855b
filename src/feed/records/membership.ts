import { sql } from "drizzle-orm";
import * as z from "zod";
import { NOW } from "../../db/clock.ts";
import { memberships } from "../../db/tables/index.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { FedTime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import { defineKind, FIXED, type Line } from "./kind.ts";
import { STORES } from "./store.ts";

export const membership = defineKind(memberships, {
  record: "membership",
  fields: z.object({
    store_id: Id,
    customer_id: Id,
    referrer_id: orNull(Id),
    joined_at: orNull(FedTime),
  }),
  keyFields: ["store_id", "customer_id"],
  columns: {
    storeKey: { key: "store_id" },
    customerKey: { key: "customer_id" },
    referrerKey: { key: "referrer_id" },
    joinedAt: { time: "joined_at" },
  },
  references: { store_id: STORES, customer_id: CUSTOMERS, referrer_id: CUSTOMERS },
  faults: [
    {
      field: "referrer_id",
      text: FIXED,
      // Left out, it stays as it is.
      when: sql`referrer_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM memberships AS stored
        WHERE stored.store_key = given.store_key AND stored.customer_key = given.customer_key
          AND stored.referrer_key IS NOT given.referrer_key
      )`,
    },
    {
      field: "referrer_id",
      text: "must be a member of the store, stored or on an earlier line",
      // The link is made when the membership is written, if the referrer is there by then.
      when: sql`referrer_id = customer_id OR (referrer_key IS NOT NULL AND store_key IS NOT NULL AND EXISTS (
        SELECT 1 FROM customers
        WHERE customers.key = given.customer_key AND NOT EXISTS (
          SELECT 1 FROM team_links AS link
          WHERE link.store_key = given.store_key AND link.ancestor_key = given.referrer_key
            AND link.joined IN (0, 1) AND link.depth = 1
            AND link.name = customers.name AND link.descendant_id = customers.id
        )
      ))`,
    },
  ],
  arrange: referrersFirst,
  write: (lines) => [
    sql`
      INSERT INTO memberships (store_key, customer_key, referrer_key, joined_at)
      SELECT
        line.store_key, line.customer_key, coalesce(line.referrer_key, stored.referrer_key),
        coalesce(line.joined_at, stored.joined_at, ${NOW})
      FROM ${lines} AS line
      LEFT JOIN memberships AS stored ON stored.store_key = line.store_key AND stored.customer_key = line.customer_key
      WHERE true ORDER BY position
      ON CONFLICT (store_key, customer_key) DO UPDATE SET joined_at = excluded.joined_at, joined = 1
      WHERE memberships.referrer_key IS excluded.referrer_key
        AND (memberships.joined_at, memberships.joined) IS NOT (excluded.joined_at, 1)`,
  ],
  // Who leaves keeps the row, so that those below stay where they are.
  deletion: { column: "joined", is: 0 },
});

/**
 * Members after the referrers who stand on an earlier line, so that each finds its referrer there. Who refers to a
 * later line is written before it, and so found out; of a circle, at least one is.
 */
function referrersFirst(lines: readonly Line[]): Line[] {
  const keyOf = (storeId: unknown, customerId: unknown) => JSON.stringify([storeId, customerId]);
  const byKey = new Map(lines.map((line) => [keyOf(line.used.store_id, line.used.customer_id), line]));
  const arranged = new Set<Line>();
  for (const line of lines) {
    const chain: Line[] = [];
    const inChain = new Set<Line>();
    for (let member: Line | undefined = line; member !== undefined; ) {
      chain.push(member);
      inChain.add(member);
      const referrer = byKey.get(keyOf(member.used.store_id, member.used.referrer_id));
      const goesFirst: boolean = referrer !== undefined && referrer.order < member.number;
      member = goesFirst && referrer && !arranged.has(referrer) && !inChain.has(referrer) ? referrer : undefined;
    }
    for (const member of chain.reverse()) arranged.add(member);
  }
  return [...arranged];
}
