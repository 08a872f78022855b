import * as z from "zod";
import { friendships } from "../../db/tables.ts";
import { Flag } from "../../values/number.ts";
import { compareCodePoints, Id } from "../../values/text.ts";
import { CUSTOMERS } from "./customer.ts";
import type { StateKind } from "./kind.ts";

/** A pair of friends, or a request for it; the pair has no order, so one row stands for both directions. */
export const friendship: StateKind = {
  type: "state",
  record: "friendship",
  table: friendships,
  fields: z.object({ customer_id: Id, friend_id: Id, status: Flag }),
  toRow: (record) => {
    const [low_id, high_id] = [String(record.customer_id), String(record.friend_id)].sort(compareCodePoints);
    return { ...record, low_id, high_id };
  },
  columns: ["low_id", "high_id", "status"],
  key: ["low_id", "high_id"],
  keyFields: ["customer_id", "friend_id"],
  global: true,
  fixed: [],
  references: [
    { field: "customer_id", to: CUSTOMERS },
    { field: "friend_id", to: CUSTOMERS },
  ],
  rules: ({ customer_id, friend_id }) => (customer_id === friend_id ? { friend_id: ["must be another customer"] } : {}),
};
