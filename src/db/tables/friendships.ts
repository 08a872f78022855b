import { index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";

export const friendships = sqliteTable(
  "friendships",
  {
    low_key: keyIn(customers),
    high_key: keyIn(customers),
    status: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.low_key, table.high_key] }),
    index("friendships_by_high_key").on(table.high_key),
  ],
);

export const blocks = sqliteTable(
  "blocks",
  {
    customer_key: keyIn(customers),
    blocked_key: keyIn(customers),
  },
  (table) => [
    primaryKey({ columns: [table.customer_key, table.blocked_key] }),
    index("blocks_by_blocked_key").on(table.blocked_key),
  ],
);
