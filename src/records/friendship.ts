import { sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { fed, key, refersTo } from "../db/columns.ts";
import type { Kind } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { Flag } from "../values/number.ts";
import { Id } from "../values/text.ts";
import { customer, customerIdOf, mustBeAnother } from "./customer.ts";

/** Two friends, or a request to be friends. One row stands for both directions: the smaller key comes first. */
const record = state(
  "friendship",
  "friendships",
  {
    low_key: key({
      ...refersTo(customer, { customer_id: Id }),
      keyOnLine: "customer_key",
      value: sql`min(line.customer_key, line.friend_key)`,
    }),
    high_key: key({
      ...refersTo(customer, { friend_id: Id }),
      keyOnLine: "friend_key",
      value: sql`max(line.customer_key, line.friend_key)`,
    }),
    /** 1: friends, 0: the request is pending. */
    status: fed(integer().notNull(), Flag),
  },
  { rules: mustBeAnother("friend_id") },
);
export const friendships = record.table;

export const friendship = {
  ...record,
  write: { identity: ({ customer_id, friend_id }) => [String(customer_id), String(friend_id)].sort() },
  read: {
    fields: {
      customer_id: { sql: customerIdOf(friendships.low_key) },
      friend_id: { sql: customerIdOf(friendships.high_key) },
    },
    isAbout: (customerKey) => sql`${customerKey} IN (${friendships.low_key}, ${friendships.high_key})`,
  },
} satisfies Kind;
