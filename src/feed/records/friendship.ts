import { friendships } from "../../db/tables.ts";
import { compareCodePoints } from "../../values/code-points.ts";
import { Flag } from "../../values/number.ts";
import { Id } from "../../values/text.ts";
import { customer } from "./customer.ts";
import { defineKind } from "./define-kind.ts";

/** Two friends, or a request to be friends. One row stands for both directions: the smaller key comes first. */
export const friendship = defineKind(friendships, {
  record: "friendship",
  fields: { customer_id: Id, friend_id: Id, status: Flag },
  key: ["low_key", "high_key"],
  keyFields: ["customer_id", "friend_id"],
  identity: ({ customer_id, friend_id }) => [String(customer_id), String(friend_id)].sort(compareCodePoints),
  columns: {
    low_key: { sql: "min(line.customer_key, line.friend_key)" },
    high_key: { sql: "max(line.customer_key, line.friend_key)" },
  },
  readBack: {
    customer_id: { sql: "(SELECT id FROM customers WHERE key = friendships.low_key)" },
    friend_id: { sql: "(SELECT id FROM customers WHERE key = friendships.high_key)" },
  },
  isAboutCustomer: (customerKey) => `${customerKey} IN (friendships.low_key, friendships.high_key)`,
  references: { customer_id: customer, friend_id: customer },
  rules: ({ customer_id, friend_id }) => (customer_id === friend_id ? { friend_id: ["must be another customer"] } : {}),
});
