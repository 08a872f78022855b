import { index, integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";

const customerKey = (name: string) =>
  integer(name)
    .notNull()
    .references(() => customers.key);

export const friendships = sqliteTable(
  "friendships",
  {
    lowKey: customerKey("low_key"),
    highKey: customerKey("high_key"),
    status: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.lowKey, table.highKey] }),
    index("friendships_by_high_key").on(table.highKey),
  ],
);

export const blocks = sqliteTable(
  "blocks",
  {
    customerKey: customerKey("customer_key"),
    blockedKey: customerKey("blocked_key"),
  },
  (table) => [
    primaryKey({ columns: [table.customerKey, table.blockedKey] }),
    index("blocks_by_blocked_key").on(table.blockedKey),
  ],
);
