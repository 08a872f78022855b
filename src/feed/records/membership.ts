import { sql } from "drizzle-orm";
import * as z from "zod";
import { memberships } from "../../db/tables.ts";
import { orNull } from "../../values/scalar.ts";
import { Id } from "../../values/text.ts";
import { Datetime } from "../../values/time.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";
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
      when: sql`referrer_id = customer_id OR (referrer_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM customers JOIN team_links AS link
          ON link.store_id = membership.store_id AND link.ancestor_id = membership.referrer_id
          AND link.joined IN (0, 1) AND link.depth = 1
          AND link.name = customers.name AND link.descendant_id = membership.customer_id
        WHERE customers.id = membership.customer_id
      ))`,
    },
  ],
  deletion: { column: "joined", live: 1 },
};
